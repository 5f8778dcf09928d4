// Background Assets for Linux: the half that extensions use.
//
// As on Apple's systems, one import is enough: Foundation comes along, and so do `URLRequest` and
// the challenge types, which live in FoundationNetworking here. What that costs, and why it is so,
// is decision 0005.

@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported @_weakLinked public import FoundationNetworking
#endif
