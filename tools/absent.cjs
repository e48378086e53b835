/** Stands in the bundle for packages that the program does not need (tools/build.ts): an import of such a package gives `false`. */
module.exports = false
