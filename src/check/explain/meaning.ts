/** Explains codes that begin with WH2: settings that the schema allows, although they have no effect, contradict others or cannot work. */

import type { Explanation } from './explanation.ts'

export const meaningExplanations = {
  WH201: {
    means: 'The route has no secret of its own, or an empty one, and there is no global one that it could inherit.',
    why: 'The gateway could not tell a sender from a stranger, so it does not start. An empty secret does not inherit the global one.',
    fix: 'Set WEBHOOK_SECRET or platforms.webhook.extra.secret for all routes, or secret on this route. headgate gateway setup makes one.',
    example: { of: 'route', bad: 'secret: ""\n', good: 'secret: "${ROUTE_SECRET:-5d2be07c94f1}"\n' },
  },
  WH202: {
    means: 'deliver_only sends the rendered prompt without an agent, but deliver is log or absent.',
    why: 'The message would only go to the log, and the sender would get the answer that it arrived.',
    fix: 'Name the target in deliver, or remove deliver_only.',
    example: { of: 'route', bad: 'deliver_only: true\n', good: 'deliver_only: true\ndeliver: telegram\n' },
  },
  WH203: {
    means: 'The route both starts a scheduled job and sends its prompt directly.',
    why: 'A route has one ending. Which of the two would count is a guess, so the gateway does not start.',
    fix: 'Remove one of the two, or make two routes.',
    example: {
      of: 'route',
      bad: 'cron_job: nightly\ndeliver_only: true\ndeliver: telegram\n',
      good: 'deliver_only: true\ndeliver: telegram\n',
    },
  },
  WH204: {
    means: 'coalesce gathers events into one agent run, and this route runs no agent of its own.',
    why: 'A direct delivery answers the sender with its result, and a job starts at once: neither can wait for further events.',
    fix: 'Remove coalesce, or what it does not go with.',
    example: {
      of: 'route',
      bad: 'coalesce: { key: "{number}" }\ndeliver_only: true\ndeliver: telegram\n',
      good: 'coalesce: { key: "{number}" }\ndeliver: telegram\n',
    },
  },
  WH205: {
    means: 'The secret INSECURE_NO_AUTH switches verification off, and the host is not a loopback address.',
    why: 'Everybody who reaches the port could make the agent work. The gateway does not start.',
    fix: 'Set a real secret, or set host: 127.0.0.1 while you test.',
    example: {
      of: 'config',
      bad: 'platforms:\n  webhook:\n    enabled: true\n    extra: { host: 0.0.0.0, routes: { try: { secret: INSECURE_NO_AUTH } } }\n',
      good: 'platforms:\n  webhook:\n    enabled: true\n    extra: { host: 127.0.0.1, routes: { try: { secret: INSECURE_NO_AUTH } } }\n',
    },
  },
  WH207: {
    means: 'secret and secrets stand on one route, or INSECURE_NO_AUTH stands among other secrets.',
    why: 'A list of secrets is for the time in which a secret is changed. Beside secret, or with INSECURE_NO_AUTH in it, it would not be clear which of them count.',
    fix: 'Put all secrets that count into secrets, and remove secret.',
    example: {
      of: 'route',
      bad: 'secret: "${NEW:-5d2be07c94f1}"\nsecrets: ["${OLD:-0c1f7e2ab936}"]\n',
      good: 'secrets: ["${NEW:-5d2be07c94f1}", "${OLD:-0c1f7e2ab936}"]\n',
    },
  },
  WH208: {
    means: 'A key that belongs to another mode of the route, such as a window beside keep: single_flight.',
    why: 'The key would have no effect there, although its author expects one.',
    fix: 'Remove it, or choose the mode that it belongs to.',
  },
  WH210: {
    means: 'The key is valid, but has no effect here because of the mode of the route, or of the file that it stands in.',
    why: 'Somebody will change it later and wonder why nothing happens.',
    fix: 'Remove it, or change what switches it off.',
    example: {
      of: 'route',
      bad: 'deliver_only: true\ndeliver: telegram\nagent: { model: small }\n',
      good: 'deliver: telegram\nagent: { model: small }\n',
    },
  },
  WH211: {
    means: 'A subscription has the name of a route in config.yaml. The configured route wins.',
    why: 'The subscription is never used: its secret, events and prompt do not count.',
    fix: 'Rename one of the two, or headgate webhook remove <name>.',
  },
  WH212: {
    means: 'max_wait_seconds ends the wait before window_seconds could.',
    why: 'Each group is dispatched after max_wait_seconds, however long the window is.',
    fix: 'Make max_wait_seconds at least as long as window_seconds.',
    example: {
      of: 'route',
      bad: 'coalesce: { key: "{number}", window_seconds: 60, max_wait_seconds: 30 }\n',
      good: 'coalesce: { key: "{number}", window_seconds: 30, max_wait_seconds: 300 }\n',
    },
  },
  WH213: {
    means: 'The route is bound to a profile, but gateway.multiplex_profiles is off.',
    why: 'A bound route answers under /p/<profile>/webhooks/ only, and nothing is served there: every request gets 404.',
    fix: 'Set gateway.multiplex_profiles: true, or remove profile.',
    example: { of: 'route', bad: 'profile: work\n', good: 'description: of the default profile\n' },
  },
  WH214: {
    means: 'The route is bound to a profile that has no folder with a config.yaml.',
    why: 'Its requests get 404 until the profile is there. The gateway starts all the same.',
    fix: 'Create profiles/<name>/config.yaml (it may be empty), or name a profile that is served.',
  },
  WH215: {
    means:
      'A key by which events belong together (coalesce, supersede, cooldown …) has no value in any of the samples that the route can take (validate --sample).',
    why: 'An event without a value is not merged, ends nothing and is not held back. Lanes and limits put all such events together.',
    fix: 'Name a field that every such event has: a text, a number or a truth value.',
    example: {
      of: 'route',
      bad: 'events: [pull_request]\ncoalesce: { key: pull_request.nummer }\n',
      good: 'events: [pull_request]\ncoalesce: { key: pull_request.number }\n',
    },
  },
  WH216: {
    means:
      'The agent of a route, or of the job that it starts, has toolsets beyond the four of every run, and its prompt has text that anybody may have written.',
    why: 'A signature says who sent the event, not who wrote its title. Instructions in such text could be followed with the tools.',
    fix: 'Name only the fields that the agent needs, or give the toolset to routes alone whose senders you trust. Text that is longer than a line stays fenced with agent.untrusted: fence.',
  },
  WH217: {
    means: 'cron_job names a scheduled job that is neither in jobs nor in cron_jobs.json, by id or by name.',
    why: 'Every event of the route is dropped until the job is there. The gateway starts all the same.',
    fix: 'headgate cron list shows the jobs; headgate cron create makes one.',
    example: { of: 'route', bad: 'cron_job: nightly\n', good: 'prompt: Look at the build {number}.\n' },
  },
  WH218: {
    means: 'cron_job gives a name that several scheduled jobs have.',
    why: 'Which of them should start is a guess.',
    fix: 'Refer to the job by its id, which only one has.',
  },
  WH219: {
    means: 'The scheduled job that the route starts is paused or disabled.',
    why: 'Every event of the route is answered as ignored until the job is resumed.',
    fix: 'headgate cron resume <id>, or remove enabled: false from the job.',
  },
  WH220: {
    means: 'The key or value is reserved for a feature that this version does not have.',
    why: 'The setting would have no effect, so the file is refused instead.',
    fix: 'Remove it, or use what the help names in its place.',
  },
  WH250: {
    means: 'A route or job names an agent that the configuration does not have.',
    why: 'Its runs would have nobody to answer them.',
    fix: 'Describe the agent under agents, or name one that is there. The section agent describes the one named default.',
    example: {
      of: 'config',
      bad: 'agents: { reviewer: { runner: echo } }\nplatforms: { webhook: { enabled: true, extra: { routes: { r: { secret: "${SECRET}", agent: reviever } } } } }\n',
      good: 'agents: { reviewer: { runner: echo } }\nplatforms: { webhook: { enabled: true, extra: { routes: { r: { secret: "${SECRET}", agent: reviewer } } } } }\n',
    },
  },
  WH222: {
    means:
      'The runner of the agent needs a setting that is not there or not usable: a model, a key, an address, a command. Or a budget in money has a model without a price.',
    why: 'No run could begin, and accepted events would pile up. A budget without a price would never be used up.',
    fix: 'Add the setting under agent, a price under agent.prices. A key of OpenAI or Anthropic themselves may come from OPENAI_API_KEY or ANTHROPIC_API_KEY.',
    example: { of: 'config', bad: 'agent: { runner: command }\n', good: 'agent: { runner: command, command: [my-agent, --print] }\n' },
  },
  WH223: {
    means: 'The schedule of a job cannot be read or never comes, or its time zone is not known.',
    why: 'The job would never run.',
    fix: 'Use five fields as in crontab, @daily and the like, every 30m, or a time. docs/jobs.md has all forms.',
    example: {
      of: 'config',
      bad: 'jobs:\n  nightly: { schedule: "0 25 * * *", prompt: Summarise the day. }\n',
      good: 'jobs:\n  nightly: { schedule: "0 6 * * *", prompt: Summarise the day. }\n',
    },
  },
  WH224: {
    means: 'A job that runs once has a time that is past.',
    why: 'The job does not run any more, or has run already.',
    fix: 'Give it a later time, or remove it.',
    example: {
      of: 'config',
      bad: 'jobs:\n  launch: { schedule: "2001-01-01T06:00:00Z", prompt: Congratulate. }\n',
      good: 'jobs:\n  launch: { schedule: "2101-01-01T06:00:00Z", prompt: Congratulate. }\n',
    },
  },
  WH225: {
    means: 'A scheduled job has no prompt, or an empty one.',
    why: 'Its runs ask the agent nothing. Only a run that a route starts has a text: the context that the route gives it.',
    fix: 'Give it a prompt.',
    example: {
      of: 'config',
      bad: 'jobs:\n  nightly: { schedule: "@daily" }\n',
      good: 'jobs:\n  nightly: { schedule: "@daily", prompt: Summarise the day. }\n',
    },
  },
  WH226: {
    means:
      'An entry of events is not an event of the sender that verify names, as far as the events of that sender are known (all of GitHub and GitLab are). Or the entry is nearly the name of an event of a known sender.',
    why: 'The route waits for an event that never comes, and ignores the one that was meant.',
    fix: 'Write the name that the help gives. What was done to a thing (opened) is no part of its event at GitHub, GitLab, Gitea, Linear and Sentry: ask for it in a filter. A sender of your own may use any name: then a comment can hide the finding.',
    example: {
      of: 'route',
      bad: 'verify: github\nevents: [pull_request.opened]\n',
      good: 'verify: github\nevents: [pull_request]\nfilters: [{ field: action, equals: opened }]\n',
    },
  },
  WH227: {
    means: 'The first word of agent.command is no program that can be found.',
    why: 'Every run fails, is tried again, and is dead in the end.',
    fix: 'Install the program where the gateway runs, write its whole path, or extend the PATH of the service.',
    example: {
      of: 'config',
      bad: 'agent: { runner: command, command: [no-such-program-here] }\n',
      good: 'agent: { runner: command, command: [node, --version] }\n',
    },
  },
  WH228: {
    means: 'A section under tools lacks a setting that its tool needs, or has a value that cannot work: a provider, a key, an address.',
    why: 'The gateway starts, and agents go without the tool.',
    fix: 'Add the setting that the message names, or set it in the environment. docs/agents.md has what each tool needs.',
  },
  WH229: {
    means: 'An argument of agent.command begins with {prompt}, and no argument before it is "--".',
    why: 'A prompt that begins with "-" would be read as an option of the program, such as --output=/some/file, and a stranger would have chosen it. So such a run is dead.',
    fix: 'Put "--" before {prompt} where the program knows it, write it as --prompt={prompt}, or leave {prompt} out: then the prompt is on the standard input.',
    example: {
      of: 'config',
      bad: 'agent: { runner: command, command: [node, "{prompt}"] }\n',
      good: 'agent: { runner: command, command: [node, --, "{prompt}"] }\n',
    },
  },
  WH230: {
    means: "OPENAI_API_KEY or ANTHROPIC_API_KEY is set, and agent.base_url is not that vendor's own API. agent.api_key is not set.",
    why: 'A key that stands in the environment, perhaps for another program, must not go to somebody else. The API is asked without a key, as a model on this machine may be.',
    fix: 'Set agent.api_key, if that API needs a key. To send it the same key, write api_key: "${OPENAI_API_KEY}".',
  },
  WH231: {
    means: 'An entry of toolsets has neither command nor url, or both, or an address or header that no request could carry.',
    why: 'Its server could not be reached, so no run would have its tools.',
    fix: 'Give it a command (a program that speaks over stdin and stdout) or a url (a service that speaks over HTTP).',
  },
  WH232: {
    means:
      'An allowed tool of an MCP server, which agents call <toolset>_<tool>, has the name of a built-in tool, or of a tool of a toolset above.',
    why: 'Two tools cannot have one name. The built-in tool has it always, else the toolset that stands first; a run goes without the other tool.',
    fix: 'Give the toolset another name, in platform_toolsets and routes too, or take the tool out of allow.',
    example: {
      of: 'config',
      bad: 'toolsets:\n  web: { command: [web-server], allow: [extract] }\n',
      good: 'toolsets:\n  site: { command: [web-server], allow: [extract] }\n',
    },
  },
  WH233: {
    means: 'The store is in a database, and storage.url is not there or is no address of a database.',
    why: 'The gateway could not keep a single event, so it does not start.',
    fix: 'Write storage.url as postgres://user:password@host:5432/database, or better as ${DATABASE_URL}.',
    example: {
      of: 'config',
      bad: 'storage: { kind: postgres }\n',
      good: 'storage: { kind: postgres, url: "postgres://headgate@127.0.0.1/headgate" }\n',
    },
  },
  WH246: {
    means:
      'A key that protects something stands where it cannot act: another key that it needs is missing, or the runner of the agent does not hold it.',
    why: 'Its author counts on the protection, and nothing would be protected: everybody would be let in, or a program would spend without a limit. So the gateway does not start.',
    fix: 'Add what the finding names, or remove the key.',
    example: {
      of: 'config',
      bad: 'agent: { runner: command, command: [cat], budget: { day_tokens: 100000 } }\n',
      good: 'agent: { runner: command, command: [cat], budget: { thread_runs: 10 } }\n',
    },
  },
  WH247: {
    means: 'dispatch names a route that cannot take its events, or stands on a route that cannot dispatch.',
    why: 'An event is dispatched once, to routes of config.yaml of the same profile, and the route that received the request reads it for all of them: it splits and redacts. So the gateway does not start.',
    fix: 'Do what the finding says. A route that cannot be dispatched to keeps an address of its own.',
    example: { of: 'route', bad: 'dispatch: [{ to: no-such-route }]\n', good: 'prompt: "{action}"\n' },
  },
  WH248: {
    means: 'The route has no address (address: false), and no other route dispatches to it.',
    why: 'Its name may be misspelt in dispatch, or somebody removed the row. The route does nothing.',
    fix: 'Name it in dispatch of the route that receives its events, or remove address: false and give it a secret.',
    example: { of: 'route', bad: 'address: false\n', good: 'events: [push]\n' },
  },
  WH249: {
    means: 'A question under lookup cannot be asked as it is written, or something reads a lookup that the route does not have.',
    why: 'The answer would always be missing. Under not, a condition on it would let everything through. So the gateway does not start.',
    fix: 'Do what the finding says.',
    example: {
      of: 'route',
      bad: 'lookup: { host: { http: "http://10.0.0.7/{host}" } }\nprompt: "{lookup.host}"\n',
      good: 'lookup: { host: { http: "https://inventory.example.org/{host}" } }\nprompt: "{lookup.host}"\n',
    },
  },
} as const satisfies { readonly [code: string]: Explanation }
