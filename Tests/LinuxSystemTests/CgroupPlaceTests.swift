import LinuxSystem
import Testing

/// The kernel's texts, as several kinds of machine show them.
enum CgroupTexts {
    static let hybridMemberships = """
        9:name=systemd:/
        4:memory:/jobs/one
        1:cpu,cpuacct:/
        0::/
        """
    static let hybridMounts = """
        23 1 8:1 / / rw,relatime - ext4 /dev/root rw
        31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
        32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:7 - cgroup cgroup rw,cpu,cpuacct
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 master:2 - cgroup cgroup rw,memory
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
        """
    static let unifiedMounts = """
        23 1 8:1 / / rw,relatime - ext4 /dev/root rw
        31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate
        """
    /// As in a container of version 1 without a cgroup namespace.
    static let containerMounts = """
        35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro,relatime - cgroup cgroup rw,memory
        """
    static let app = "/user.slice/user@1000.service/app.slice"
}

struct CgroupPlaceTests {
    private func choose(
        _ memberships: String, _ mounts: String, enabled: [String] = [],
        writable: @escaping (String) -> Bool = { _ in true }
    ) -> Result<CgroupPlace, CgroupRefusal> {
        do throws(CgroupRefusal) {
            return .success(
                try CgroupPlace.choose(
                    memberships: memberships, mounts: mounts,
                    facts: CgroupFacts(
                        controllers: { enabled.contains($0) ? ["cpu", "memory"] : ["cpu"] },
                        isWritable: writable)))
        } catch {
            return .failure(error)
        }
    }

    private func refused(_ why: String) -> Result<CgroupPlace, CgroupRefusal> {
        .failure(CgroupRefusal(why))
    }

    @Test func ofVersionOneItIsBelowOurOwn() {
        let place = CgroupPlace(.one, folder: "/sys/fs/cgroup/memory/jobs/one")
        #expect(
            choose(CgroupTexts.hybridMemberships, CgroupTexts.hybridMounts) == .success(place))
        #expect(
            choose("4:memory:/", CgroupTexts.hybridMounts)
                == .success(CgroupPlace(.one, folder: "/sys/fs/cgroup/memory")))
        #expect(
            choose("4:hugetlb,memory:/docker/abc/x", CgroupTexts.containerMounts)
                == .success(CgroupPlace(.one, folder: "/sys/fs/cgroup/memory/x")))
    }

    @Test func ofVersionOneItMustBeWritableAndInSight() {
        #expect(
            choose(CgroupTexts.hybridMemberships, CgroupTexts.hybridMounts) { _ in false }
                == refused("/sys/fs/cgroup/memory/jobs/one is not writable"))
        for path in [
            "/elsewhere", "/docker/abcd", "/../up", "/docker/abc/../x", "relative", "",
            "/docker/abc/a\u{600}/../x",
        ] {
            #expect(
                choose("4:memory:\(path)", CgroupTexts.containerMounts)
                    == refused("the memory cgroup of this process is not mounted"))
        }
    }

    @Test func aRootOfVersionTwoHasChildren() {
        #expect(
            choose("0::/", CgroupTexts.unifiedMounts, enabled: ["/sys/fs/cgroup"])
                == .success(CgroupPlace(.two, folder: "/sys/fs/cgroup")))
        #expect(
            choose("0::/", CgroupTexts.unifiedMounts)
                == refused("the memory controller is not enabled in /sys/fs/cgroup"))
    }

    @Test func ofVersionTwoADelegatedParentTakesASibling() {
        let folder = "/sys/fs/cgroup\(CgroupTexts.app)"
        let own = "0::\(CgroupTexts.app)/run-1.scope"
        #expect(
            choose(own, CgroupTexts.unifiedMounts, enabled: [folder])
                == .success(CgroupPlace(.two, folder: folder)))
        #expect(
            choose(own, CgroupTexts.unifiedMounts, enabled: [folder]) { $0 != folder }
                == refused("\(folder) is not writable"))
        #expect(
            choose(own, CgroupTexts.unifiedMounts, enabled: ["/sys/fs/cgroup"])
                == refused("the memory controller is not enabled in \(folder)"))
    }

    @Test func aChildOfTheRootHasTheRootAsItsParent() {
        #expect(
            choose("0::/init", CgroupTexts.unifiedMounts, enabled: ["/sys/fs/cgroup"])
                == .success(CgroupPlace(.two, folder: "/sys/fs/cgroup")))
    }

    /// The controller is in one hierarchy only: a second one without it does not count.
    @Test func inAHybridTheMemoryControllersHierarchyCounts() {
        let withoutMemory = "1:cpu:/\n0::/"
        #expect(
            choose(withoutMemory, CgroupTexts.hybridMounts)
                == refused("the memory controller is not enabled in /sys/fs/cgroup/unified"))
        #expect(
            choose(
                withoutMemory, CgroupTexts.hybridMounts, enabled: ["/sys/fs/cgroup/unified"])
                == .success(CgroupPlace(.two, folder: "/sys/fs/cgroup/unified")))
    }

    @Test func withoutAnyThereIsNone() {
        let none = refused("the cgroup of this process is not mounted")
        #expect(choose("", "") == none)
        #expect(choose("0::/", "23 1 8:1 / / rw - ext4 /dev/root rw") == none)
        #expect(choose("garbage\n::\n0:", "a b c\n1 2 3 4 5 6 -\n1 2 3 4 5 6 - cgroup2") == none)
        // A name of version 1 that only looks like the controller's.
        #expect(choose("4:name=memory:/", CgroupTexts.hybridMounts) == none)
    }

    @Test func aMountPointIsUnescaped() {
        let mounts = #"31 23 0:28 / /my\040cgroups\134\1 rw - cgroup2 cgroup2 rw"#
        let folder = #"/my cgroups\\1"#
        #expect(
            choose("0::/", mounts, enabled: [folder])
                == .success(CgroupPlace(.two, folder: folder)))
    }

    /// With a slash they are one Character; the kernel knows bytes.
    @Test func namesAreReadByBytes() {
        #expect(
            choose("4:memory:/docker/abc/\u{301}x", CgroupTexts.containerMounts)
                == .success(CgroupPlace(.one, folder: "/sys/fs/cgroup/memory/\u{301}x")))
        let own = "/sys/fs/cgroup/a\u{600}"
        #expect(
            choose("0::/a\u{600}/b", CgroupTexts.unifiedMounts, enabled: [own])
                == .success(CgroupPlace(.two, folder: own)))
    }

    @Test func thisProcessHasAPlaceOrAReason() {
        do throws(CgroupRefusal) {
            let place = try CgroupPlace.find()
            #expect(place.folder.hasPrefix("/"))
        } catch {
            #expect(!error.why.isEmpty)
        }
    }
}
