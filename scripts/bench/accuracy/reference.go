// What Go's own parser sees in Go files, by the entry rules of the outline. Paths on standard
// input, JSON lines out, as reference.py.
package main

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"strconv"
	"strings"
)

type result struct {
	Path    string          `json:"path"`
	Entries [][]interface{} `json:"entries"`
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		found := result{Path: input.Text()}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, found.Path, nil, parser.SkipObjectResolution)
		if err == nil {
			found.Entries = entries(set, file)
		}
		if err := output.Encode(found); err != nil {
			panic(err)
		}
	}
}

func entries(set *token.FileSet, file *ast.File) [][]interface{} {
	found := [][]interface{}{}
	add := func(kind, receiver, name string, node ast.Node) {
		// Lines of the file itself, whatever line comments say.
		first := set.PositionFor(node.Pos(), false).Line
		last := set.PositionFor(node.End()-1, false).Line
		found = append(found, []interface{}{kind, receiver, name, first, last})
	}
	for _, declaration := range file.Decls {
		switch node := declaration.(type) {
		case *ast.FuncDecl:
			if node.Recv == nil {
				add("function", "", node.Name.Name, bare{node})
			} else {
				add("method", receiver(set, node), node.Name.Name, bare{node})
			}
		case *ast.GenDecl:
			for _, spec := range node.Specs {
				var spanned ast.Node = spec
				if !node.Lparen.IsValid() {
					spanned = node
				}
				switch spec := spec.(type) {
				case *ast.ImportSpec:
					path, _ := strconv.Unquote(spec.Path.Value)
					add("import", "", path, spanned)
				case *ast.TypeSpec:
					add("type", "", spec.Name.Name, spanned)
				case *ast.ValueSpec:
					kind := "variable"
					if node.Tok == token.CONST {
						kind = "constant"
					}
					for _, name := range spec.Names {
						add(kind, "", name.Name, spanned)
					}
				}
			}
		}
	}
	return found
}

// A function without its documentation.
type bare struct{ *ast.FuncDecl }

func (b bare) Pos() token.Pos { return b.Type.Pos() }

func receiver(set *token.FileSet, node *ast.FuncDecl) string {
	if len(node.Recv.List) == 0 {
		return ""
	}
	var text strings.Builder
	if err := printer.Fprint(&text, set, node.Recv.List[0].Type); err != nil {
		return ""
	}
	return strings.Join(strings.Fields(text.String()), "")
}
