// What the TypeScript compiler's parser sees in TypeScript and JavaScript files, by the entry
// rules of the outline. Paths on standard input, JSON lines out, as reference.py.
//
//   node reference.mjs FOLDER_WITH_NODE_MODULES < paths
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const ts = createRequire(process.argv[2] + "/x.js")("typescript");
const kinds = ts.SyntaxKind;

// Lines end at CRLF, CR and LF alone; the compiler's own table knows U+2028 too.
function lineTable(text) {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  return (offset) => {
    let low = 0, high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

function* bound(name) {
  if (ts.isIdentifier(name)) yield name.text;
  else for (const element of name.elements) if (element.name) yield* bound(element.name);
}

function has(node, kind) {
  return node.modifiers?.some((modifier) => modifier.kind === kind) ?? false;
}

function outline(file, text) {
  const lineOf = lineTable(text);
  const entries = [];
  const add = (kind, receiver, name, node) => {
    entries.push([kind, receiver, name, lineOf(node.getStart(file)), lineOf(node.end - 1)]);
  };
  const methods = (node, receiver) => {
    for (const member of node.members) {
      if (ts.isConstructorDeclaration(member)) {
        // A quoted 'constructor' is one too.
        const word = member.getChildren(file).find((child) =>
          child.kind === kinds.ConstructorKeyword || child.kind === kinds.StringLiteral);
        add("method", receiver, word ? word.getText(file) : "constructor", member);
      } else if (ts.isMethodDeclaration(member) || ts.isAccessor(member)) {
        add("method", receiver, member.name.getText(file), member);
      }
    }
  };
  const statement = (node) => {
    switch (node.kind) {
      case kinds.ImportDeclaration: {
        const before = entries.length;
        const clause = node.importClause;
        if (clause?.name) add("import", "", clause.name.text, node);
        const named = clause?.namedBindings;
        if (named && ts.isNamespaceImport(named)) add("import", "", named.name.text, node);
        else for (const element of named?.elements ?? []) add("import", "", element.name.text, node);
        if (entries.length === before) add("import", "", node.moduleSpecifier.text, node);
        break;
      }
      case kinds.ImportEqualsDeclaration:
        add("import", "", node.name.text, node);
        break;
      case kinds.VariableStatement: {
        const list = node.declarationList;
        const constant = (list.flags & ts.NodeFlags.BlockScoped) >= ts.NodeFlags.Const;
        for (const declaration of list.declarations) {
          const spanned = list.declarations.length > 1 ? declaration : node;
          for (const name of bound(declaration.name)) {
            add(constant ? "constant" : "variable", "", name, spanned);
          }
        }
        break;
      }
      case kinds.FunctionDeclaration:
        add("function", "", node.name?.text ?? "default", node);
        break;
      case kinds.ClassDeclaration: {
        const name = node.name?.text ?? "default";
        add("class", "", name, node);
        methods(node, name);
        break;
      }
      case kinds.InterfaceDeclaration:
      case kinds.TypeAliasDeclaration:
      case kinds.EnumDeclaration:
        add("type", "", node.name.text, node);
        break;
      case kinds.ModuleDeclaration: {
        let body = node.body;
        while (body && ts.isModuleDeclaration(body)) body = body.body;
        body?.statements?.forEach(statement);
        break;
      }
      case kinds.ExportAssignment:
        // `export default name` names what is declared elsewhere.
        if (!node.isExportEquals && !ts.isIdentifier(node.expression)) {
          add("constant", "", "default", node);
        }
        break;
    }
  };
  file.statements.forEach(statement);
  return entries;
}

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = readFileSync(path, "utf8");
  let entries = null;
  // A file in error recovery is no measure; JavaScript is given what only TypeScript minds.
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  if (file.parseDiagnostics.length === 0) {
    // The parser drops a byte-order mark from no offset.
    entries = outline(file, file.text);
  }
  console.log(JSON.stringify({ path, entries }));
}
