/** The version that this build is of. */

export const version = '0.1.0'
