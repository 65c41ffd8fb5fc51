package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const folder = "../.."

// faultsWith returns the faults of the file after a change of it.
func faultsWith(t *testing.T, before, after string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(text), before, after)
	if changed == string(text) && before != "" {
		t.Fatalf("%s has no %q", file, before)
	}
	absolute, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	project, err := load(absolute, []byte(changed))
	if err != nil {
		return []string{err.Error()}
	}
	return faultsOf(project)
}

func TestTheFileHasNoFault(t *testing.T) {
	if faults := faultsWith(t, "", ""); len(faults) > 0 {
		t.Fatal(faults)
	}
}

func TestEachFaultIsFound(t *testing.T) {
	const migration = "    migrate:\n      condition: service_completed_successfully\n"
	const database = "      database:\n        condition: service_healthy\n"
	for name, fault := range map[string]struct{ before, after, want string }{
		"a server does not wait": {migration, "", "server-1: does not wait for migrate"},
		"a server waits for the start of the migration": {
			migration, strings.Replace(migration, "completed_successfully", "started", 1),
			"server-2: does not wait for migrate: service_completed_successfully",
		},
		"the migration does not wait": {
			"    depends_on:\n" + database, "", "migrate: does not wait for database",
		},
		"the migration waits for the start of the database": {
			database, strings.Replace(database, "healthy", "started", 1),
			"migrate: does not wait for database: service_healthy",
		},
		"no service serves":             {"command: [serve]", "command: [doctor]", "no service has the command serve"},
		"the migration is restarted":    {"command: [migrate, up]", "command: [migrate, up]\n    restart: always", "waits for the end of migrate, which is restarted"},
		"a health check needs a shell":  {"test: [CMD, redis-cli, ping]", "test: redis-cli ping", "redis: the health check needs a shell"},
		"a port is published for all":   {"127.0.0.1:3000:3000", "3000:3000", "grafana: port 3000 is published"},
		"a file is missing":             {"./helm/riposte/files/alerts.yaml", "./helm/alerts.yaml", "is not in the repository"},
		"a key is unknown":              {"stop_grace_period", "stop_grace", "stop_grace"},
		"a variable is needed":          {"riposte:local", "${IMAGE:?}", "IMAGE"},
		"a service of no file is named": {"depends_on: [prometheus]", "depends_on: [loki]", "loki"},
	} {
		t.Run(name, func(t *testing.T) {
			faults := strings.Join(faultsWith(t, fault.before, fault.after), "\n")
			if !strings.Contains(faults, fault.want) {
				t.Errorf("got %q, want %q", faults, fault.want)
			}
		})
	}
}
