/// A point on CLOCK_BOOTTIME, in nanoseconds: it goes on during suspend and no clock step moves it.
public struct Instant: Hashable, Comparable, Sendable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Saturates: a peer's absurd number of seconds means "never", not a trap.
    public func advanced(bySeconds seconds: Int) -> Instant {
        advanced(byNanoseconds: Int64(seconds).multipliedSaturating(by: 1_000_000_000))
    }

    public func advanced(byNanoseconds step: Int64) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(step)
        return Instant(nanoseconds: overflow ? (step < 0 ? .min : .max) : sum)
    }

    /// Whole seconds from `earlier` to here, rounded down; negative where `earlier` is later.
    public func seconds(since earlier: Instant) -> Int {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        if overflow { return nanoseconds < earlier.nanoseconds ? .min / 2 : .max / 2 }
        let (quotient, remainder) = difference.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Int(quotient) - (remainder < 0 ? 1 : 0)
    }
}

/// What both clocks show at one time. Decisions are handed a moment; they never read a clock.
public struct Moment: Hashable, Sendable {
    public var boot: Instant
    /// Seconds since 1970 by CLOCK_REALTIME.
    public var wall: Int

    public init(boot: Instant, wall: Int) {
        self.boot = boot
        self.wall = wall
    }
}

extension FixedWidthInteger {
    func multipliedSaturating(by factor: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? ((self < 0) != (factor < 0) ? .min : .max) : product
    }
}
