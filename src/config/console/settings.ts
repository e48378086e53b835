/** The settings of the console: where it listens, and who may use it from where. */

/** Who may do what: the names of groups, `user:NAME`, or `*`. */
export type ConsoleRoles = {
  readonly viewer: readonly string[]
  readonly operator: readonly string[]
  readonly payloads: readonly string[]
}

/** A proxy that has signed the user in. Its headers with user and groups are believed only in a request that has the secret, too. */
export type ForwardAuth = {
  readonly secret: string
  readonly secretHeader: string
  readonly userHeader: string
  readonly groupsHeader: string
}

/** An identity provider that speaks OpenID Connect. */
export type OidcAuth = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
  readonly userClaim: string
  readonly groupsClaim: string
}

export type ConsoleAuth = {
  readonly roles: ConsoleRoles
  readonly forward?: ForwardAuth
  readonly oidc?: OidcAuth
  /** The hashes of passwords, by the names of users. */
  readonly password?: { readonly [user: string]: string }
}

export type ConsoleSettings = {
  /** Whether the gateway runs the console. */
  readonly enabled: boolean
  readonly host: string
  readonly port: number
  /** The address at which browsers of other machines reach the console: `https://hooks.example.com`. */
  readonly publicOrigin?: string
  /** Networks and addresses of the proxies in front of the console. */
  readonly proxies: readonly string[]
  /** Absent where only a code of this machine signs in. */
  readonly auth?: ConsoleAuth
}
