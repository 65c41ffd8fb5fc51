// Command check reads compose.yaml as `docker compose` does, with the reference implementation of
// the Compose Specification: by its schema, with merges, references and interpolation. It needs no
// container engine. `cargo xtask test --only deploy` runs it.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

const file = "compose.yaml"

// before says for which service, and for what of it, a command of Riposte has to wait: a server on
// an old schema is not ready, and a migration without a database fails.
var before = map[string]struct{ service, condition string }{
	"serve":   {"migrate", types.ServiceConditionCompletedSuccessfully},
	"migrate": {"database", types.ServiceConditionHealthy},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: check FOLDER, the one of compose.yaml")
		os.Exit(2)
	}
	text, err := os.ReadFile(filepath.Join(os.Args[1], file))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	project, err := load(os.Args[1], text)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	faults := faultsOf(project)
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
	fmt.Printf("%d services\n", len(project.Services))
}

// load validates the text of the file in the folder. No variable is given to it: the file must not
// need any.
func load(folder string, text []byte) (*types.Project, error) {
	details := types.ConfigDetails{
		WorkingDir:  folder,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(folder, file), Content: text}},
		Environment: types.Mapping{},
	}
	return loader.LoadWithContext(context.Background(), details, func(options *loader.Options) {
		options.SkipValidation = false
		options.SkipConsistencyCheck = false
	})
}

// faultsOf returns what the specification allows and this project does not.
func faultsOf(project *types.Project) []string {
	var faults []string
	add := func(service, format string, values ...any) {
		faults = append(faults, service+": "+fmt.Sprintf(format, values...))
	}
	unseen := maps.Clone(before)
	for name, service := range project.Services {
		if check := service.HealthCheck; check != nil && (len(check.Test) < 2 || check.Test[0] != "CMD") {
			add(name, "the health check needs a shell: %v", check.Test)
		}
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" {
				add(name, "port %s is published on %q, not on 127.0.0.1 alone", port.Published, port.HostIP)
			}
		}
		for _, mount := range service.Volumes {
			if mount.Type != types.VolumeTypeBind || isMade(mount.Source) {
				continue
			}
			if _, err := os.Stat(mount.Source); err != nil {
				add(name, "%s is not in the repository", mount.Source)
			}
		}
		if len(service.Command) > 0 {
			command := service.Command[0]
			needed, ours := before[command]
			if ours && service.DependsOn[needed.service].Condition != needed.condition {
				add(name, "does not wait for %s: %s", needed.service, needed.condition)
			}
			delete(unseen, command)
		}
		for other, dependency := range service.DependsOn {
			on := project.Services[other]
			if dependency.Condition == types.ServiceConditionHealthy && on.HealthCheck == nil {
				add(name, "waits for the health of %s, which has no health check", other)
			}
			if dependency.Condition == types.ServiceConditionCompletedSuccessfully && on.Restart != "" && on.Restart != "no" {
				add(name, "waits for the end of %s, which is restarted", other)
			}
		}
	}
	for command := range unseen {
		add(file, "no service has the command %s", command)
	}
	return faults
}

// isMade tells the folders that prepare.sh makes from those of the repository.
func isMade(path string) bool {
	return strings.Contains(filepath.ToSlash(path), "/deploy/compose/made")
}
