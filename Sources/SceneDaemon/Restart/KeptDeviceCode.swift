import SceneModel
import SceneOAuth
import Varlink

/// What of a login with a code for another device is kept for the process that comes next.
struct KeptDeviceCode: WireRecord {
    var deviceCode = ""
    var userCode = ""
    var verificationUri = ""
    var verificationUriComplete: String?
    /// Nanoseconds of CLOCK_BOOTTIME.
    var requested = 0
    var expiresIn = 0
    var interval = 0
    var clientID = ""

    init() {}

    init(_ device: DeviceAuthorization) {
        deviceCode = device.deviceCode.text
        userCode = device.userCode
        verificationUri = device.verificationUri
        verificationUriComplete = device.verificationUriComplete
        requested = Int(device.requested.nanoseconds)
        expiresIn = device.expiresIn
        interval = device.interval
        clientID = device.clientID
    }

    mutating func fields(_ coder: inout FieldCoder) throws(WireError) {
        try coder.field("deviceCode", &deviceCode)
        try coder.field("userCode", &userCode)
        try coder.field("verificationUri", &verificationUri)
        try coder.field("verificationUriComplete", &verificationUriComplete)
        try coder.field("requested", &requested)
        try coder.field("expiresIn", &expiresIn)
        try coder.field("interval", &interval)
        try coder.field("clientID", &clientID)
    }

    func authorization(issuer: String, host: String) -> DeviceAuthorization {
        DeviceAuthorization(
            deviceCode: Secret(deviceCode), userCode: userCode, verificationUri: verificationUri,
            verificationUriComplete: verificationUriComplete, requested: Instant(nanoseconds: Int64(requested)),
            expiresIn: expiresIn, interval: interval, clientID: clientID, issuer: issuer, host: host)
    }
}
