/// What a browser's request says before its body.
struct RequestHead {
    var method = "GET"
    var target: RequestTarget
    /// In the order they came; names in lower case.
    var headers: [(name: String, value: String)] = []

    /// The value of a header that may come once; nil where it is absent or came more often.
    func single(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    func has(_ name: String) -> Bool {
        headers.contains { $0.name == name }
    }

    var hasBody: Bool {
        has("transfer-encoding") || headers.contains { $0.name == "content-length" && $0.value != "0" }
    }

    /// The largest body of a form, bytes.
    static let formLimit = 8 << 10

    enum Body: Equatable {
        case none, form
        case refused(Refusal)
    }

    /// What comes behind the head. Browsers always say how long a form is.
    var body: Body {
        guard hasBody else { return .none }
        guard method == "POST" else { return .refused(.malformed) }
        guard !has("transfer-encoding"), let size = single("content-length").flatMap({ Int($0) }), size >= 0,
            let type = single("content-type"),
            type.prefix(while: { $0 != ";" }).lowercased() == "application/x-www-form-urlencoded"
        else { return .refused(.malformed) }
        return size <= Self.formLimit ? .form : .refused(.tooLarge)
    }

    /// Whether a form was sent by a page of this origin. A browser says where a form comes from; what says nothing is
    /// none, or old.
    func isSent(from origin: String) -> Bool {
        (!has("origin") || single("origin") == origin)
            && (!has("sec-fetch-site") || single("sec-fetch-site") == "same-origin")
    }

    /// Whether the answer is put into a page of ours as a picture, or opened by the user.
    var isPicture: Bool {
        !has("sec-fetch-dest")
            || single("sec-fetch-dest") == "image" && single("sec-fetch-site") == "same-origin"
    }

    /// Whether a browser shows the answer as a page of its own, not in a frame nor to a script (Fetch Metadata).
    /// Where it comes from does not matter: a login host's redirect is cross-site.
    var isNavigation: Bool {
        for (name, expected) in [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")]
        where has(name) && single(name) != expected {
            return false
        }
        // Only a script or a form sends Origin, or a browser that keeps it through a login host's redirect: the latter
        // say "null", or are known by their fetch metadata.
        return has("sec-fetch-mode") || !has("origin") || single("origin") == "null"
    }
}
