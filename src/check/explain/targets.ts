/** Explains the codes that begin with WH7: targets, skills, toolsets and plugins. */

import type { Explanation } from './explanation.ts'

export const targetExplanations = {
  WH701: {
    means:
      'A name under skills has no skills/<name>/SKILL.md in the folder of the profile, or that file cannot be used, or its head cannot be read.',
    why: 'The agent works without it, or without its description, and may do something else than you expect. The gateway starts all the same.',
    fix: 'Write the file, mend the name, or take it out of the list. A skill has at most 262144 bytes.',
    example: { of: 'route', bad: 'skills: [code-review]\n', good: 'skills: []\n' },
  },
  WH702: {
    means: 'toolsets or platform_toolsets names a toolset that is neither built in nor under toolsets.',
    why: 'The toolset is dropped, and the run goes without it. Where all toolsets are dropped, the run has no tools at all.',
    fix: 'Mend the name, or add the server under toolsets. docs/agents.md lists what is built in.',
    example: { of: 'route', bad: 'toolsets: [web_serch]\n', good: 'toolsets: [web_search]\n' },
  },
  WH703: {
    means: 'toolsets or platform_toolsets names a toolset that would give a stranger the machine: a shell, files, other conversations.',
    why: 'The text of an event comes from strangers, whoever signed the event. The toolset is dropped.',
    fix: 'Remove it. Put your own tools for such runs into a server of their own, under toolsets, with a list in allow.',
    example: { of: 'route', bad: 'toolsets: [terminal]\n', good: 'toolsets: [web_search]\n' },
  },
  WH704: {
    means: 'deliver names an unknown target.',
    why: 'Nothing could be sent.',
    fix: 'Use one of the names that the help lists, or `headgate targets list`. The target of a plugin has a hyphen in its name.',
    example: { of: 'route', bad: 'deliver: telegrm\n', good: 'deliver: telegram\n' },
  },
  WH705: {
    means: 'The target needs a setting in deliver_extra, and the setting is missing.',
    why: 'Every delivery would fail: a comment needs to know on which pull request, a post to which address.',
    fix: 'Add the settings under deliver_extra; values are templates.',
    example: {
      of: 'route',
      bad: 'deliver: github_comment\n',
      good: 'deliver: github_comment\ndeliver_extra: { repo: "{repository.full_name}", pr_number: "{number}" }\n',
    },
  },
  WH706: {
    means: "A setting under platforms.<name> that none of the platform's targets reads.",
    why: 'A mistyped token leaves the platform unconnected, which shows only when something is to be sent.',
    fix: 'Write the setting that is meant. headgate targets list shows what each needs.',
    example: { of: 'config', bad: 'platforms:\n  telegram: { tokn: "${T:-x}" }\n', good: 'platforms:\n  telegram: { token: "${T:-x}" }\n' },
  },
  WH707: {
    means:
      'A value in deliver_extra is not usable: a text that is no address, a number that is not positive, a header that may not be set.',
    why: 'The target would refuse every delivery, or send it somewhere else.',
    fix: 'Mend the value. A placeholder may stand for it, but not in the host of an address.',
    example: {
      of: 'route',
      bad: 'deliver: http\ndeliver_extra: { url: "https://{host}/in", secret: "${K:-5d2be07c94f1}" }\n',
      good: 'deliver: http\ndeliver_extra: { url: "https://example.com/in", secret: "${K:-5d2be07c94f1}" }\n',
    },
  },
  WH708: {
    means: 'deliver: http has no secret, so its posts are not signed.',
    why: 'The receiver cannot tell a delivery from a post of anybody else. That may not matter on a private network.',
    fix: 'Set deliver_extra.secret; the receiver checks Standard Webhooks signatures with it.',
    example: {
      of: 'route',
      bad: 'deliver: http\ndeliver_extra: { url: "https://example.com/in" }\n',
      good: 'deliver: http\ndeliver_extra: { url: "https://example.com/in", secret: "${K:-5d2be07c94f1}" }\n',
    },
  },
  WH709: {
    means: 'The target works through a program (gh for github_comment), and the program cannot be found or, with --env, has no login.',
    why: 'Every delivery fails.',
    fix: 'Install the program where the gateway runs, and log in with it, or extend the PATH of the service.',
  },
  WH710: {
    means: 'A module under plugins cannot be loaded, or does not export a plugin.',
    why: 'Its parts are missing, and the routes that use them cannot be served.',
    fix: 'Mend the module; the message has its error. docs/plugins.md shows the shape. To do without the plugin, take it out of the list.',
    example: { of: 'config', bad: 'plugins: [./not-there.mjs]\n', good: 'plugins: []\n' },
  },
  WH711: {
    means: 'deliver, platforms, verify, agent.runner or a condition names a part of a plugin, and no plugin brings it.',
    why: "Nothing could be sent, a request not be checked, or an agent not asked. A name with a hyphen is always a plugin's.",
    fix: 'Name the module under plugins, or mend the name: those of built-in parts have underscores. docs/plugins.md shows how one is written.',
    example: { of: 'route', bad: 'verify: acme-sign\n', good: 'verify: github\n' },
  },
  WH712: {
    means: 'The platform of the target is switched off, or lacks a setting that connects it.',
    why: 'Every delivery fails until it is connected.',
    fix: 'headgate targets list says what is missing; set it under platforms, or in the environment.',
    example: {
      of: 'route',
      bad: 'deliver: telegram\n',
      good: 'deliver: log\n',
    },
  },
  WH336: {
    means: 'A sample passes the filters, and the values that it gives to deliver_extra make no address of a target.',
    why: 'The run of such an event ends dead before its agent is asked, because nobody would get the reply. workflow_run of a fork, for example, names no pull request.',
    fix: 'Keep such events out with a filter (exists), or take a path that they have. headgate webhook trace shows the address that a sample gives.',
    example: {
      of: 'route',
      bad: 'events: [pull_request, push]\nprompt: "{repository.full_name}"\ndeliver: github_comment\ndeliver_extra: { repo: "{repository.full_name}", pr_number: "{number}" }\n',
      good: 'events: [pull_request, push]\nprompt: "{repository.full_name}"\nfilters: [{ field: number, exists: true }]\ndeliver: github_comment\ndeliver_extra: { repo: "{repository.full_name}", pr_number: "{number}" }\n',
    },
  },
  WH715: {
    means: 'No condition, template or script of the route reads the answer to this lookup.',
    why: 'Each event waits for an answer that nobody uses.',
    fix: 'Read it as lookup.<name>, or remove it.',
    example: {
      of: 'route',
      bad: 'lookup: { owner: { http: "https://inventory.example.org/{host}" } }\nprompt: "{host}"\n',
      good: 'lookup: { owner: { http: "https://inventory.example.org/{host}" } }\nprompt: "{lookup.owner}"\n',
    },
  },
  WH716: {
    means: 'The server of this lookup gives no answer without a setting that is missing, such as a token.',
    why: 'Each of its questions fails, and on_failure says what becomes of the event.',
    fix: 'Set it where the finding says.',
  },
  WH713: {
    means: 'The chat target has neither a chat_id in deliver_extra nor a home channel.',
    why: 'It does not know where to post: every delivery fails.',
    fix: 'Set deliver_extra.chat_id on the route, or home_channel of the platform.',
  },
  WH714: {
    means:
      'The operator of a plugin refuses its operand, or the runner of a plugin refuses a setting of agent. Or the plugin failed during that check.',
    why: 'The condition would never hold, or no run would ever be answered.',
    fix: 'Mend the value as the message says. Where the plugin failed, its author has to.',
  },
} as const satisfies { readonly [code: string]: Explanation }
