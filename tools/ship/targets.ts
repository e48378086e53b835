/** Names what we ship for: the processors, as each world calls them, and the Node that goes inside. */

/** The version of Node inside: the newest of this line that npm has for both processors. The pins are those that npm published. */
export const node = {
  version: '24.21.0',
  integrity: {
    x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
} as const

export type Arch = keyof typeof node.integrity

/** The processors in the words of Debian. */
export const debianArch: { readonly [arch in Arch]: string } = { x64: 'amd64', arm64: 'arm64' }
