internal import CommandLineOptions
internal import HostSettings

/// `bahost settings`: from the options to the exit status.
struct SettingsCommand {
    let options: SettingsOptions
    let surroundings: Surroundings

    func execute() -> ExitStatus {
        let places = SettingsPlaces(environment: surroundings.environment)
        do throws(HostSettingsError) {
            switch options.action {
            case .list: return list(SettingsListing(try HostSettings(places), places))
            case .get(let key):
                return show(try HostSettings(places).value(of: key), in: places)
            case .set(let key, let value): return try change(key, to: value, in: places)
            case .unset(let key): return try change(key, to: nil, in: places)
            }
        } catch {
            return fail("\(error)", ExitStatus.of(error.code))
        }
    }

    /// A value that cannot be used is shown, and is a fault all the same.
    private func list(_ listing: SettingsListing) -> ExitStatus {
        let status = print(options.isJSON ? JSONLine.of(listing) : listing.text)
        return status == .ok && !listing.faults.isEmpty ? .inputMissing : status
    }

    private func show(_ reading: SettingReading, in places: SettingsPlaces) -> ExitStatus {
        guard options.isJSON else {
            return print("\(reading.value?.description ?? "none")\n")
        }
        return print(JSONLine.of(SettingsListing.Answer(reading, places)))
    }

    private func change(
        _ key: SettingKey, to value: SettingValue?, in places: SettingsPlaces
    ) throws(HostSettingsError) -> ExitStatus {
        guard let path = places.path(of: options.level) else {
            return fail("neither XDG_CONFIG_HOME nor HOME is a folder", .outputFailed)
        }
        try checkOther(try HostSettings(places), key, isSet: value != nil)
        try SettingsChange(key, to: value, at: options.level, path: path).write()
        let reading = try HostSettings(places).value(of: key)
        guard !options.isJSON else {
            return print(JSONLine.of(SettingsListing.Answer(reading, places)))
        }
        return print(SettingsListing.Entry(reading, places).line + "\n")
    }

    /// What will be in force must be known before something is written: that the other file can be
    /// read, and its value used where it counts.
    private func checkOther(
        _ settings: HostSettings, _ key: SettingKey, isSet: Bool
    ) throws(HostSettingsError) {
        if isSet, options.level == .user, !key.setting.isSystemOnly { return }
        let other = settings.files.first { $0.level != options.level }
        if let fault = other?.faults[key.name] { throw fault }
    }

    private func print(_ text: String?) -> ExitStatus {
        guard let text else { return .internalError }
        return HostProgram.show(text, on: Console())
    }

    private func fail(_ message: String, _ status: ExitStatus) -> ExitStatus {
        HostProgram.complain(OptionTable.settings.program, message)
        return status
    }
}

extension ExitStatus {
    /// The status of a fault of the settings.
    static func of(_ code: HostSettingsError.Code) -> ExitStatus {
        switch code {
        case .unreadable, .malformed, .badValue: .inputMissing
        case .cannotWrite, .held: .outputFailed
        }
    }
}
