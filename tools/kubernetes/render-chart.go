// Renders a Helm chart as `helm template` does, as far as the chart of this repository needs it: Go's templates, sprig's functions,
// `include`, `toYaml`, values from files. Helm itself is in no package of Debian.
//
// Usage: render-chart CHART RELEASE [VALUES.yaml ...]
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(file string) map[string]interface{} {
	text, err := os.ReadFile(file)
	must(err)
	values := map[string]interface{}{}
	must(yaml.Unmarshal(text, &values))
	return values
}

// merge puts the members of over into base, map by map. Null takes a member away.
func merge(base, over map[string]interface{}) {
	for key, value := range over {
		inner, isMap := value.(map[string]interface{})
		known, wasMap := base[key].(map[string]interface{})
		switch {
		case value == nil:
			delete(base, key)
		case isMap && wasMap:
			merge(known, inner)
		default:
			base[key] = value
		}
	}
}

func main() {
	chart := os.Args[1]
	values := read(filepath.Join(chart, "values.yaml"))
	for _, file := range os.Args[3:] {
		merge(values, read(file))
	}
	about := read(filepath.Join(chart, "Chart.yaml"))
	data := map[string]interface{}{
		"Values":  values,
		"Chart":   map[string]interface{}{"AppVersion": about["appVersion"], "Name": about["name"]},
		"Release": map[string]interface{}{"Name": os.Args[2], "Namespace": "default", "Service": "Helm"},
	}
	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["include"] = func(name string, with interface{}) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, with)
		return text.String(), err
	}
	all.Funcs(functions)
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	must(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(err)
		_, err = all.New(filepath.Base(file)).Parse(string(text))
		must(err)
	}
	for _, file := range files {
		if name := filepath.Base(file); strings.HasSuffix(name, ".yaml") {
			var text bytes.Buffer
			must(all.ExecuteTemplate(&text, name, data))
			if strings.TrimSpace(text.String()) != "" {
				fmt.Printf("---\n# Source: %s\n%s", name, text.String())
			}
		}
	}
}
