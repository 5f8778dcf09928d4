/// A number with a comma between thousands: 53248 becomes `53,248`.
func grouped(_ number: UInt64) -> String {
    let digits = String(number)
    var text = ""
    for (index, digit) in digits.enumerated() {
        if index > 0, (digits.utf8.count - index).isMultiple(of: 3) { text += "," }
        text.append(digit)
    }
    return text
}

func grouped(_ number: Int) -> String {
    number < 0 ? String(number) : grouped(UInt64(number))
}

/// An address as people write it: `0x1f40`.
func hexadecimal(_ number: UInt64) -> String { "0x" + String(number, radix: 16) }

/// Text out of the file, made safe for one line on a terminal.
///
/// At most 120 scalars, the rest as `…`; whatever is not a visible character or a plain space
/// becomes `\u{…}`.
func quoted(_ text: String) -> String {
    var result = "\""
    for (index, scalar) in text.unicodeScalars.enumerated() {
        guard index < 120 else { return result + "…\"" }
        if isVisible(scalar), scalar != "\"", scalar != "\\" {
            result.unicodeScalars.append(scalar)
        } else {
            result += "\\u{" + String(scalar.value, radix: 16) + "}"
        }
    }
    return result + "\""
}

/// True for letters, digits, marks, signs and the plain space.
func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
        .paragraphSeparator:
        false
    case .spaceSeparator: scalar == " "
    default: true
    }
}
