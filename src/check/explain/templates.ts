/** Explains the codes that begin with WH5: templates, most of all the placeholders of prompts. */

import type { Explanation } from './explanation.ts'

export const templateExplanations = {
  WH501: {
    means:
      'No sample that the route can take (validate --sample) has a value for the placeholder, or for a path in an expression. Or the transform of the route makes no such key.',
    why: 'A placeholder is not replaced: the agent or the chat gets it as it stands here. In an expression, the path counts as nothing.',
    fix: 'Write the path as the payload has it. If only the samples lack it, add one that has it: headgate samples add.',
    example: {
      of: 'route',
      bad: 'events: [pull_request]\nprompt: "Review {pull_request.titel}."\n',
      good: 'events: [pull_request]\nprompt: "Review {pull_request.title}."\n',
    },
  },
  WH502: {
    means:
      'The text has a placeholder as another template language writes it: {{x}}, ${x}, { x }. Or {payload} and {event}, which no payload has.',
    why: 'It is not replaced: the agent or the chat gets the braces as they stand here.',
    fix: 'Write {x}: one brace, no blanks, a path into the payload.',
    example: { of: 'route', bad: 'prompt: "Review {{pull_request.title}}."\n', good: 'prompt: "Review {pull_request.title}."\n' },
  },
  WH503: {
    means:
      'The expression of a {= … } placeholder cannot be read, or uses what is not allowed here. Or a key has braces that are no placeholder, as {{ x }} has.',
    why: 'The prompt could not be rendered, so the file is refused.',
    fix: 'Mend the expression. A plain value needs none: {pull_request.title} is enough, without blanks.',
    example: { of: 'route', bad: "prompt: 'Sum: {= $sum( }'\n", good: "prompt: 'Sum: {= $sum(payload.items.price) }'\n" },
  },
  WH504: {
    means:
      'A sample (validate --sample) gives a text that is longer than allowed: the whole payload past 4000 characters, a list or map past 2000.',
    why: 'The rest is left out, and JSON that was cut cannot be parsed.',
    fix: 'Name the values that are needed instead of what is around them. If the beginning is enough, nothing is wrong.',
    example: {
      of: 'route',
      bad: 'events: [pull_request]\nprompt: "Review {__raw__}."\n',
      good: 'events: [pull_request]\nprompt: "Review {pull_request.title}."\n',
    },
  },
  WH505: {
    means: 'Beside a text that looks like a path, an opening brace has no closing one, or a closing brace no opening one.',
    why: 'The placeholder is not replaced, and stands in the text as it is.',
    fix: 'Write both braces: {pull_request.title}.',
    example: { of: 'route', bad: 'prompt: "Review {pull_request.title now."\n', good: 'prompt: "Review {pull_request.title} now."\n' },
  },
  WH506: {
    means: 'The route has no prompt, so the whole payload goes to the agent as JSON.',
    why: 'It is cut at 4000 characters, which is rarely where the interesting part ends, and everything a stranger wrote is in it.',
    fix: 'Write a prompt that names what the agent needs. If the payload is meant, nothing is wrong.',
  },
  WH507: {
    means: 'A placeholder begins with payload., as fields of filters may.',
    why: 'A template looks into the payload already: {payload.x} is the key x below a key payload, which most senders do not have.',
    fix: 'Leave payload. out.',
    example: { of: 'route', bad: 'prompt: "Review {payload.title}."\n', good: 'prompt: "Review {title}."\n' },
  },
  WH508: {
    means: 'A placeholder or a filter reads a field that is listed in "redact", of the route or of the adapter.',
    why: 'The field is replaced before filters and templates see it: the text says [redacted], and a filter compares with that.',
    fix: 'Take the field out of "redact", or leave it out of the text and the filters.',
    example: {
      of: 'route',
      bad: 'redact: [payload.user.email]\nprompt: "A mail of {user.email}."\n',
      good: 'redact: [payload.user.email]\nprompt: "A mail of {user.name}."\n',
    },
  },
  WH509: {
    means: 'The route hands files to its agent (attachments), and fields of its events are redacted.',
    why: 'A file may have what the redacted fields have. Only the list of files is redacted: a hidden name is "file" for the agent, and a file whose entry is hidden is dropped.',
    fix: 'Take "attachments" out where files may have such data. Else keep the finding away with a comment: # webhook-ignore WH509: why the files may be handed on',
    example: {
      of: 'route',
      bad: 'attachments: {}\nredact: [payload.user.email]\nprompt: "A form of {user.name}."\n',
      good: 'redact: [payload.user.email]\nprompt: "A form of {user.name}."\n',
    },
  },
} as const satisfies { readonly [code: string]: Explanation }
