package riposte

import "syscall"

// endWithParent ends a child when the thread that started it ends, at the latest with its process.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
