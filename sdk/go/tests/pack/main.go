// Pack writes the module as a module proxy serves it, to a folder that can be named in GOPROXY:
//
//	go run ./pack FOLDER
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"riposte.dev/go/riposte"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: pack FOLDER")
	}
	if err := pack("..", os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func pack(source, target string) error {
	rules, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	packed := module.Version{Path: modfile.ModulePath(rules), Version: "v" + riposte.Version}
	folder := filepath.Join(target, filepath.FromSlash(packed.Path), "@v")
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(folder, packed.Version+".zip"))
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := zip.CreateFromDir(archive, packed, source); err != nil {
		return err
	}
	for name, content := range map[string]string{
		"list":                   packed.Version + "\n",
		packed.Version + ".mod":  string(rules),
		packed.Version + ".info": fmt.Sprintf("{\"Version\":%q}\n", packed.Version),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	fmt.Println(packed, "in", archive.Name())
	return archive.Close()
}
