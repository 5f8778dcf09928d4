internal import LinuxSystem
internal import WireProtocol

/// Judgements on `bahost_should_download`, which name the pack.
extension VerdictJudge {
    private static let place = RunPlace.call(.shouldDownload)

    /// A reply that is neither yes, no nor an error of the plugin's own.
    func judgePack(_ reply: PackReply) -> Judgement {
        Judgement(
            .badReply,
            "\(VerdictJudge.returned(reply)); allowed are 0, 1 and negative numbers",
            at: VerdictJudge.place)
    }

    /// All calls have returned: ok, unless a pack was answered with an error of the plugin's own.
    func judgePacks(_ evidence: Evidence) -> Judgement {
        guard let sentence = packSentence(evidence) else {
            return Judgement(.ok, "", at: .shutdown)
        }
        return Judgement(.pluginError, sentence, at: VerdictJudge.place)
    }

    /// Nil when no pack was answered with a negative number.
    func packSentence(_ evidence: Evidence) -> String? {
        guard let first = evidence.packError else { return nil }
        let others = evidence.packErrors - 1
        let packs = others == 1 ? "pack" : "packs"
        let more = others < 1 ? "" : ", and negative numbers for \(others) other \(packs)"
        return VerdictJudge.returned(first) + more
    }

    func judgeWallBudget(_ place: RunPlace, _ evidence: Evidence) -> Judgement {
        let subject =
            switch place {
            case .call(let entry): entry.symbol
            case .inspect: "reading the file"
            default: "loading the plugin"
            }
        guard place == VerdictJudge.place, let pack = evidence.pack else {
            let time = Words.seconds(evidence.wallBudget)
            return Judgement(.wallTimeout, "\(subject) still ran after \(time)", at: place)
        }
        let time = Words.seconds(evidence.packBudget)
        return Judgement(
            .wallTimeout, "\(subject) still ran after \(time), for pack \(PlainText.clean(pack))",
            at: place)
    }

    private static func returned(_ reply: PackReply) -> String {
        let name = PlainText.clean(reply.identifier)
        return "\(EntryPoint.shouldDownload.symbol) returned \(reply.status) for pack \(name)"
    }
}
