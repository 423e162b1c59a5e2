import SceneModel
import SceneProtocol
import Varlink

// Events and accounts are kept in the JSON that they have on the wire. What a later version adds to them is passed
// over, so that going back to this one loses no more than that.

func encode(_ event: Event) -> [UInt8] { json(event) }
func encode(_ account: Account) -> [UInt8] { json(account) }

func decodeEvent(_ json: UnsafeRawBufferPointer) -> Event? { record(json) }
func decodeAccount(_ json: UnsafeRawBufferPointer) -> Account? { record(json) }

private func json(_ record: some WireRecord) -> [UInt8] {
    var writer = JSONWriter()
    record.write(to: &writer)
    return writer.bytes
}

private func record<Record: WireRecord>(_ json: UnsafeRawBufferPointer) -> Record? {
    guard let element = try? JSONElement.parse(json, limits: ownLimits) else { return nil }
    return try? Record(lenient: element)
}

/// Whatever we wrote we must read again; the wire's limits are for strangers.
private let ownLimits: JSONLimits = {
    var limits = JSONLimits()
    limits.bytes = 1 << 28
    limits.members = 1 << 24
    return limits
}()
