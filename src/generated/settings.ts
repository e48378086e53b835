// Generated from schema/ by `npm run gen`. Do not edit.
/** The environment variables of each built-in runner, by its setting. */
export const runnersEnv: { readonly [runner: string]: { readonly [setting: string]: readonly string[] } } = {
  "openai": {
    "apiKey": [
      "OPENAI_API_KEY"
    ]
  },
  "anthropic": {
    "apiKey": [
      "ANTHROPIC_API_KEY"
    ]
  }
}
/** Other names of built-in targets, and the real one of each. */
export const targetAliases: { readonly [alias: string]: string } = {
  "hosta_comment": "github_comment",
  "hostb_comment": "gitlab_comment",
  "msteams": "teams",
  "wecom_callback": "wecom",
  "whatsapp_cloud": "whatsapp"
}
