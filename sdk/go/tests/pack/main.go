// Pack writes the module as a module proxy serves it, to a folder that can be named in GOPROXY:
//
//	go run ./pack FOLDER
//	go run ./pack -check FOLDER
//
// The second form checks what the first has written, by the rules for the zip of a module.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"riposte.dev/go/riposte"
)

func main() {
	checks := flag.Bool("check", false, "check the module in FOLDER")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: pack [-check] FOLDER")
	}
	work := pack
	if *checks {
		work = check
	}
	if err := work("..", flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// check holds the archive against the rules for module zips, and its name against that of the
// project.
func check(source, target string) error {
	packed, rules, err := described(source)
	if err != nil {
		return err
	}
	if packed.Path != "riposte.dev/go/riposte" {
		return fmt.Errorf("the module is %s", packed.Path)
	}
	archive := filepath.Join(target, filepath.FromSlash(packed.Path), "@v", packed.Version+".zip")
	found, err := zip.CheckZip(packed, archive)
	if err == nil {
		err = found.Err()
	}
	if err != nil {
		return err
	}
	file, err := modfile.Parse("go.mod", rules, nil)
	if err != nil {
		return err
	}
	if len(file.Replace) > 0 {
		return errors.New("go.mod replaces modules, which holds for no user")
	}
	if !slices.Contains(found.Valid, packed.String()+"/LICENSE") {
		return errors.New("the archive has no LICENSE")
	}
	fmt.Println(packed, "has", len(found.Valid), "files")
	return nil
}

// described is the module in a folder, with its go.mod.
func described(source string) (module.Version, []byte, error) {
	rules, err := os.ReadFile(filepath.Join(source, "go.mod"))
	packed := module.Version{Path: modfile.ModulePath(rules), Version: "v" + riposte.Version}
	if err == nil {
		err = module.Check(packed.Path, packed.Version)
	}
	return packed, rules, err
}

func pack(source, target string) error {
	packed, rules, err := described(source)
	if err != nil {
		return err
	}
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
