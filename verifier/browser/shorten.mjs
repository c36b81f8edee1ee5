/**
 * Says the same in fewer bytes, where esbuild does not: functions as arrows, a name for each text or long name of a field that
 * stands often, and no declaration of a field that has no value.
 */
import ts from "typescript";

/** A script of modules put together, whose names esbuild has yet to shorten. */
export function shortened(script) {
  const file = ts.createSourceFile("page.js", script, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const texts = namesOfTexts(file);
  // Functions are there before the first statement runs. The arrows stand at the beginning, so that they are too.
  const functions = file.statements.filter((one) => ts.isFunctionDeclaration(one) && one.asteriskToken === undefined);
  const isMoved = new Set(functions);
  const written = (node) => {
    const own = texts.get(node);
    if (own !== undefined && ts.isStringLiteral(node)) return ` ${own.name}`;
    if (own !== undefined) return `${written(node.expression)}${node.questionDotToken === undefined ? "" : "?."}[${own.name}]`;
    if (isMoved.has(node) || (ts.isPropertyDeclaration(node) && node.initializer === undefined)) return "";
    let [result, at] = ["", node.getFullStart()];
    ts.forEachChild(node, (child) => {
      result += script.slice(at, child.getFullStart()) + written(child);
      at = child.end;
    });
    return result + script.slice(at, node.end);
  };
  const arrows = functions.map((one) => {
    if (usesItsOwnThis(one)) throw new Error(`${one.name.text} cannot be written as an arrow`);
    const parameters = one.parameters.map(written).join();
    return `${one.name.text} = ${one.modifiers === undefined ? "" : "async "}(${parameters}) => ${written(one.body)}`;
  });
  const named = new Map([...texts.values()].map(({ name, text }) => [name, `${name} = ${text}`]));
  return `var ${[...named.values(), ...arrows].join(",\n")};\n${written(file)}`;
}

/** Names of fields that are not so long stay as they are: among them are all that stand where every moment counts. */
const LONG_NAME = 7;

/** The literals, and the fields, that are shorter by a name of two letters for their texts, in all the places where they stand. */
function namesOfTexts(file) {
  const places = new Map();
  const put = (text, node) => places.set(text, [...(places.get(text) ?? []), node]);
  visit(file, (node) => {
    if (ts.isStringLiteral(node) && isExpression(node)) put(node.getText(file), node);
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.name) && node.name.text.length >= LONG_NAME) put(`"${node.name.text}"`, node);
  });
  const names = new Map();
  for (const [text, nodes] of places) {
    const length = Buffer.byteLength(text);
    // In place of a dot, a field's name gets brackets.
    const saved = nodes.reduce((sum, node) => sum + length - (ts.isStringLiteral(node) ? 2 : 5), 0);
    if (saved < length + 4) continue;
    const name = `text_${names.size}`;
    if (file.identifiers.has(name)) throw new Error(`the page has a name ${name} of its own`);
    for (const node of nodes) names.set(node, { name, text });
  }
  return names;
}

/** Names of properties are none. Engines look at the text beside a `typeof`, so it stays where it is. */
function isExpression(node) {
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) return !ts.isTypeOfExpression(parent.left) && !ts.isTypeOfExpression(parent.right);
  return parent.name !== node && !ts.isExpressionStatement(parent);
}

function usesItsOwnThis(declaration) {
  let isUsed = false;
  ts.forEachChild(declaration, function look(node) {
    if (node.kind === ts.SyntaxKind.ThisKeyword || (ts.isIdentifier(node) && node.text === "arguments")) isUsed = true;
    if (!ts.isClassLike(node) && !(ts.isFunctionLike(node) && !ts.isArrowFunction(node))) ts.forEachChild(node, look);
  });
  return isUsed;
}

function visit(node, look) {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}
