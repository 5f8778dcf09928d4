"""An nginx of our own on a loopback port, serving one folder."""

import os
import shutil
import socket
import subprocess
import time


def program():
    return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")


class CannotServe(Exception):
    pass


class Server:
    """Its configuration, log and temporary files lie in `folder`; it serves `root`.

    `rate` is in bytes a second and connection, 0 for no limit. With `log`, each request is a line
    of that nginx log format in `folder`/access.log.
    """

    def __init__(self, folder, root, rate=0, log=None):
        self.folder, self.root, self.rate, self.log = folder, root, rate, log
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self.process = None

    def __enter__(self):
        configuration = self.folder / "nginx.conf"
        configuration.write_text(self.configuration())
        self.process = subprocess.Popen(
            [program(), "-p", self.folder, "-e", self.folder / "error.log", "-c", configuration])
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        self.__exit__()
        raise CannotServe(f"nginx does not start: see {self.folder}/error.log")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def configuration(self):
        paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        temporary = "".join(f"{name}_temp_path {self.folder}/tmp;" for name in paths)
        # A root nginx gives its workers to somebody else, who cannot read a closed folder.
        user = "user root root;" if os.getuid() == 0 else ""
        log = (f"log_format own '{self.log}'; access_log {self.folder}/access.log own;"
               if self.log else "access_log off;")
        return (f"daemon off; {user} worker_processes 1; pid {self.folder}/nginx.pid;"
                f"error_log {self.folder}/error.log; events {{}}"
                f"http {{ {log} sendfile on; keepalive_requests 100000; {temporary}"
                f"server {{ listen 127.0.0.1:{self.port}; root {self.root};"
                f" limit_rate {self.rate}; }} }}\n")
