// Installed runs all tests and the quick start against the packed module, as one who installs it
// has it: from the folder that pack has written, in projects of their own, with a module cache of
// its own, and with no replace line.
//
//	go run ./installed FOLDER SCRATCH
//
// RIPOSTE_DEV_BINARY names the server's binary.
package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The module, as its users write it.
const path = "riposte.dev/go/riposte"

func main() {
	if len(os.Args) != 3 || os.Getenv("RIPOSTE_DEV_BINARY") == "" {
		log.Fatal("usage: RIPOSTE_DEV_BINARY=PATH installed FOLDER SCRATCH")
	}
	scratch := filepath.Join(os.Args[2], "installed")
	if err := run(os.Args[1], scratch); err != nil {
		log.Fatal(err)
	}
}

// shop is a place where projects are made and built.
type shop struct {
	dir string
	env []string
}

func run(packed, scratch string) error {
	if err := os.RemoveAll(scratch); err != nil {
		return err
	}
	cached, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return err
	}
	cache, proxy, _ := strings.Cut(strings.TrimSpace(string(cached)), "\n")
	sum, err := digest(packed)
	if err != nil {
		return err
	}
	// Go takes a module's folder for one that never changes: each content has one of its own. What is
	// built of other modules does not depend on it, by -trimpath.
	made := shop{scratch, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw -trimpath", "GONOSUMDB="+path,
		"GOMODCACHE="+filepath.Join(scratch, "modules-"+sum),
		"GOPROXY=file://"+packed+",file://"+filepath.Join(cache, "cache", "download")+","+proxy)}
	if err := made.quickstart(); err != nil {
		return fmt.Errorf("the quick start: %w", err)
	}
	return made.tests()
}

// digest is a short name of what was packed.
func digest(packed string) (string, error) {
	archives, err := filepath.Glob(filepath.Join(packed, filepath.FromSlash(path), "@v", "*.zip"))
	if err != nil || len(archives) != 1 {
		return "", fmt.Errorf("%d archives in %s, %v", len(archives), packed, err)
	}
	content, err := os.ReadFile(archives[0])
	return fmt.Sprintf("%.6x", sha256.Sum256(content)), err
}

// quickstart makes a project of the example, from nothing, and runs it with a server of its own.
func (s shop) quickstart() error {
	project := filepath.Join(s.dir, "quickstart")
	if err := copyTo(project, "../examples/quickstart.go"); err != nil {
		return err
	}
	start := time.Now()
	for _, command := range [][]string{
		{"go", "mod", "init", "example.org/quickstart"},
		{"go", "get", path},
		{"go", "build", "-o", "quickstart", "."},
	} {
		if _, err := s.do(project, command...); err != nil {
			return err
		}
	}
	fmt.Printf("installed and built in %.1f s\n", time.Since(start).Seconds())
	server := []string{os.Getenv("RIPOSTE_DEV_BINARY"), "dev", "--listen", "127.0.0.1:0", "--seed", "none", "--exec", "--"}
	said, err := s.do(project, append(server, filepath.Join(project, "quickstart"))...)
	if err == nil && !strings.HasSuffix(said, "Hi\n") {
		err = fmt.Errorf("it listed no comment: %s", said)
	}
	return err
}

// tests runs those of the module, and those of this folder, with the race detector; what fails is
// told, and nothing else.
func (s shop) tests() error {
	project := filepath.Join(s.dir, "tests")
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		return err
	}
	if err := copyTo(project, append(files, "go.mod", "go.sum")...); err != nil {
		return err
	}
	for _, command := range [][]string{
		{"go", "get", path},
		{"go", "vet", ".", path + "/..."},
		{"go", "test", "-race", ".", path},
	} {
		if _, err := s.do(project, command...); err != nil {
			return err
		}
	}
	return nil
}

// do runs a command in a folder, shows what it says and answers it.
func (s shop) do(dir string, words ...string) (string, error) {
	fmt.Println("$", strings.Join(words, " "))
	command := exec.Command(words[0], words[1:]...)
	command.Dir, command.Env, command.Stderr = dir, s.env, os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := command.Start(); err != nil {
		return "", err
	}
	var said strings.Builder
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		fmt.Println(lines.Text())
		said.WriteString(lines.Text() + "\n")
	}
	if err := errors.Join(lines.Err(), command.Wait()); err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(words, " "), err)
	}
	return said.String(), nil
}

// copyTo copies files into a new folder.
func copyTo(folder string, files ...string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(file)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
