// Reads the types of .d.ts files with the TypeScript compiler.
"use strict";

const path = require("path");

/// Opens `files`. `modules` is the folder with the packages, TypeScript too.
function open(files, modules) {
  const ts = require(path.join(modules, "typescript"));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ESNext,
    strict: true,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const statements = files.flatMap((file) => [
    ...program.getSourceFile(file).statements,
  ]);

  /// Returns the declared type with this name.
  function named(name) {
    const found = statements.find(
      (s) =>
        (ts.isTypeAliasDeclaration(s) || ts.isInterfaceDeclaration(s)) &&
        s.name.text === name,
    );
    if (!found) throw new Error(`the SDK has no type ${name}`);
    return checker.getTypeAtLocation(found.name);
  }

  /// Returns the alternatives of a type, without null and undefined.
  function alternatives(type) {
    const all = type.isUnion() ? type.types.flatMap(alternatives) : [type];
    const empty = ts.TypeFlags.Null | ts.TypeFlags.Undefined;
    return all.filter((t) => !(t.flags & empty));
  }

  const isObject = (type) =>
    Boolean(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection));

  /// Returns what a type is: one of
  /// {is: "text", value}, {is: "list", item}, {is: "map", value},
  /// {is: "object", fields: Map} and {is: "scalar", name}.
  function shape(type) {
    if (type.isStringLiteral()) return { is: "text", value: type.value };
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      return { is: "list", items: checker.getTypeArguments(type) };
    }
    if (isObject(type)) {
      const fields = new Map(
        checker
          .getPropertiesOfType(type)
          .map((field) => [field.name, checker.getTypeOfSymbol(field)]),
      );
      const value = type.getStringIndexType();
      if (value && fields.size === 0) return { is: "map", value };
      return { is: "object", fields };
    }
    return { is: "scalar", name: checker.typeToString(type) };
  }

  return { named, alternatives, shape };
}

module.exports = { open };
