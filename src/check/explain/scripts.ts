/** Explains the codes that begin with WH6: scripts of routes. */

import type { Explanation } from './explanation.ts'

export const scriptExplanations = {
  WH601: {
    means: 'The script is not there, is no file, cannot be read, or everybody may write to it.',
    why: 'Every event of the route is ignored until it can run. The gateway starts all the same.',
    fix: 'Put it into scripts/ of the profile folder, and take the write permission of others away.',
    example: { of: 'route', bad: 'script: label.py\n', good: 'filters: [{ field: action, equals: labeled }]\n' },
  },
  WH602: {
    means: 'The path of the script leads out of the scripts folder, by itself or through a link.',
    why: 'Only programs that an operator has put into that folder may run, and nothing else on the machine.',
    fix: 'Put the script into scripts/ of the profile folder, and name it relative to that.',
    example: { of: 'route', bad: 'script: ../outside.sh\n', good: 'filters: [{ field: action, equals: opened }]\n' },
  },
  WH603: {
    means: 'The program that runs the script (bash, python3, node) cannot be found.',
    why: 'Every event of the route is ignored.',
    fix: 'Install it where the gateway runs, or extend the PATH of the service.',
  },
  WH604: {
    means: 'The interpreter cannot read the script (validate --env, doctor). The check is bash -n, or that of py_compile.',
    why: 'It fails at once, so every event of the route is ignored.',
    fix: 'Mend the line that the message names.',
  },
  WH605: {
    means: 'The script ran on every sample that reaches it (validate --env --sample), and let none of them on.',
    why: 'It prints nothing, [SILENT] or "__hermes_ignore__": true, or it fails, so events like these are ignored.',
    fix: 'Try it by hand: headgate webhook trace <route> --sample <name> --run-scripts. If it waits for other events, nothing is wrong.',
  },
} as const satisfies { readonly [code: string]: Explanation }
