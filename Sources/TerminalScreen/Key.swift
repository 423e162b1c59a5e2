/// What the user pressed, or pasted.
package enum Key: Equatable, Sendable {
    case character(Character)
    case up, down, pageUp, pageDown, home, end
    case enter, escape, tab, backspace, delete
    /// Ctrl-U.
    case eraseLine
    /// Without line ends and spaces around it.
    case pasted(String)
}
