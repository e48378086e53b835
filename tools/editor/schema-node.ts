/** The words in which the schema for editors is written: its nodes, and the rules that are added to them. */

export type Node = { readonly [key: string]: unknown }
export type Definitions = { readonly [name: string]: Node }
/** A rule of a schema: a condition with the schemas that follow from it, or a reference to a rule. */
export type Rule = { readonly if: Node; readonly then: Node; readonly else?: Node } | { readonly $ref: string }

/** Adds rules to the rules that a node has already. */
export const withRules = (node: Node, rules: readonly Rule[]): Node => ({ ...node, allOf: [...((node.allOf as Rule[]) ?? []), ...rules] })
