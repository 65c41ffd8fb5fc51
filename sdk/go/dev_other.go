//go:build !linux

package riposte

import "syscall"

// endWithParent has no means on this system: a child whose parent was killed runs on.
func endWithParent() *syscall.SysProcAttr { return nil }
