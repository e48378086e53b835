/** Explains the codes that begin with WH4: conditions, and the expressions in them. */

import type { Explanation } from './explanation.ts'

export const filterExplanations = {
  WH340: {
    means: 'A field of a condition, a key or another path is written as in another language: with brackets, quotes, $. or a *.',
    why: 'No event has a value there. A condition on it never holds, and under not it always does; a lane or a limit with such a key holds nothing back.',
    fix: "Write the path with dots: keys, and the numbers of items. A key with a dot in it stands in single quotes: labels.'app.kubernetes.io/name'. For the items of a list write any_item, or an expression (jsonata, or {= … } in a template).",
    example: {
      of: 'route',
      bad: "events: [push]\nfilters: [{ not: { field: 'commits[0].message', contains: skip } }]\n",
      good: "events: [push]\nfilters: [{ not: { field: 'commits.0.message', contains: skip } }]\n",
    },
  },
  WH341: {
    means: 'A path begins at a name that another tool gives the payload, or has brackets that are the name of a key here.',
    why: 'Few payloads have such a key, so the path has no value.',
    fix: 'Write the path as it is in the payload. Where the payload does have the key, ignore the finding: # webhook-ignore WH341: why.',
    example: {
      of: 'route',
      bad: "filters: [{ field: 'github.event.action', equals: opened }]\n",
      good: "filters: [{ field: 'action', equals: opened }]\n",
    },
  },
  WH342: {
    means: 'The route lists events of a sender that signs in a way of its own, and has no verify.',
    why: 'Without verify only the schemes of all routes are tried, so each post of this sender is refused with 401.',
    fix: 'Name the sender in verify. Where a program of yours signs and posts these events, ignore the finding.',
    example: {
      of: 'route',
      bad: 'events: [checkout.session.completed]\nprompt: "Paid: {id}"\n',
      good: 'verify: stripe\nevents: [checkout.session.completed]\nprompt: "Paid: {id}"\n',
    },
  },
  WH350: {
    means: 'The route takes GET, and its senders are checked by a signature of the body alone.',
    why: 'A GET has no body. The signature is that of an empty one, so it is the same for each GET: whoever has seen one can send it again with other parameters.',
    fix: 'Let the sender show a token in a header or in the address, and name its place in verify. Where only a sender of yours can see the address, ignore the finding.',
    example: {
      of: 'route',
      bad: 'methods: [GET]\nprompt: "The switch is {state}"\n',
      good: 'methods: [GET]\nverify: { algorithm: token, signature: { query: token } }\nprompt: "The switch is {state}"\n',
    },
  },
  WH351: {
    means: 'A condition names a field that no payload of the route can have: of a text, or inside a parameter of the address.',
    why: 'The condition never holds, and under not it always does.',
    fix: 'The payload of body: text has the one field text. Parameters of an address are texts, or lists of texts.',
    example: {
      of: 'route',
      bad: 'body: text\nfilters: [{ field: message, contains: error }]\nprompt: "{text}"\n',
      good: 'body: text\nfilters: [{ field: text, contains: error }]\nprompt: "{text}"\n',
    },
  },
  WH352: {
    means: 'The key of cancel_on, supersede or duplicates names the route alone, so all its events have the same key.',
    why: 'One event then ends the unfinished work of all others, or counts as a duplicate of the first, whatever it is about.',
    fix: 'Name in the key what the event is about. Where only the newest event of the whole route counts, accept the finding.',
    example: {
      of: 'route',
      bad: 'verify: github\nevents: [pull_request]\nsupersede: { key: "{route}" }\n',
      good: 'verify: github\nevents: [pull_request]\nsupersede: { key: "{repository.full_name}#{number}" }\n',
    },
  },
  WH343: {
    means: 'Samples of the sender have the field in another form: in other letter case, or as refs/heads/main where the branch is meant.',
    why: 'Texts are compared letter by letter, so the condition never holds; not_equals always does.',
    fix: 'Write the value as the sender does. headgate samples show has whole payloads.',
    example: {
      of: 'route',
      bad: 'verify: github\nevents: [push]\nfilters: [{ field: ref, equals: main }]\n',
      good: 'verify: github\nevents: [push]\nfilters: [{ field: ref, equals: refs/heads/main }]\n',
    },
  },
  WH344: {
    means:
      'A key by which events belong together (coalesce, concurrency, supersede …) is a number or branch that each repository has for itself.',
    why: 'On the hook of an organisation or group, #5 of one repository and #5 of another become one run, take turns, share a conversation, or end each other.',
    fix: 'Put the repository into the key. For the hook of one repository, nothing is wrong.',
    example: {
      of: 'route',
      bad: 'verify: github\nevents: [pull_request]\ncoalesce: { key: "{number}" }\n',
      good: 'verify: github\nevents: [pull_request]\ncoalesce: { key: "{repository.full_name}#{number}" }\n',
    },
  },
  WH345: {
    means:
      'A jsonata condition, an expression {= … } or a transform has no value on any of the samples that the route can take (validate --sample).',
    why: 'Such a condition does not hold, in a text nothing stands in its place, and such a transform has each event ignored. An evaluation that fails has no value either.',
    fix: 'Try the expression on a sample: headgate webhook trace <route> --sample <name>. If only the samples lack what it reads, add one that has it: headgate samples add.',
    example: {
      of: 'route',
      bad: 'events: [pull_request]\nprompt: "{= $sum(pull_request.title) }"\n',
      good: 'events: [pull_request]\nprompt: "{= $sum([pull_request.additions, pull_request.deletions]) }"\n',
    },
  },
  WH346: {
    means:
      'An expression that selects by a condition, a pattern or the items of a list selects nothing in any of the samples (validate --sample).',
    why: 'It may be meant so for other events. If it is not, the condition never holds, and the text has nothing in its place.',
    fix: 'Compare what it asks for with a payload: headgate samples show <name>. To see it hold, add an event: headgate samples add.',
    example: {
      of: 'route',
      bad: 'events: [push]\nprompt: "{= commits[id = 1].message }"\n',
      good: 'events: [push]\nprompt: "{= commits[0].message }"\n',
    },
  },
  WH347: {
    means: 'A condition compares the type of an event, or the header that has it, with a type and an action: pull_request.opened.',
    why: 'The sender puts the type alone into its header, and the action into the payload. So the condition never holds (not_equals always does).',
    fix: 'Compare with the type, and ask for the action in a second condition.',
    example: {
      of: 'route',
      bad: 'verify: github\nfilters: [{ field: headers.X-GitHub-Event, equals: pull_request.opened }]\n',
      good: 'verify: github\nfilters:\n  - { field: headers.X-GitHub-Event, equals: pull_request }\n  - { field: action, equals: opened }\n',
    },
  },
  WH348: {
    means: 'A jsonata condition gives a text, a number, a list or a map on each of the samples that it has a value on (validate --sample).',
    why: 'A condition holds where its expression gives true, and nothing else. So this one never holds, and a not around it always does.',
    fix: 'Compare the value, count a list ($count(…) > 0), or ask whether it is there ($exists(…)).',
    example: {
      of: 'route',
      bad: 'events: [push]\nfilters: [{ jsonata: payload.commits.id }]\n',
      good: 'events: [push]\nfilters: [{ jsonata: $count(payload.commits.id) > 0 }]\n',
    },
  },
  WH349: {
    means: 'A placeholder of the prompt is under a key that some events of this type have as null.',
    why: 'A push that deletes a branch has no head_commit: the agent would be asked with {head_commit.message} as it stands, and paid for.',
    fix: 'Let a filter keep such events out, or use an expression that says what stands there instead.',
    example: {
      of: 'route',
      bad: 'verify: github\nevents: [push]\nprompt: Review {head_commit.message}\n',
      good: 'verify: github\nevents: [push]\nfilters: [{ field: deleted, equals: false }]\nprompt: Review {head_commit.message}\n',
    },
  },
  WH401: {
    means:
      'The regular expression or the pattern of matches_glob cannot be read or is too long, or an expression matches no text at all, as a$b and /^main/ do.',
    why: 'The filter could not say yes or no, or a not around it would let everything through. So the file is refused.',
    fix: 'Mend the pattern. In YAML single quotes keep backslashes as they are, and no slashes stand around a pattern.',
    example: { of: 'route', bad: "filters: [{ field: ref, regex: '(' }]\n", good: "filters: [{ field: ref, regex: '^refs/heads/' }]\n" },
  },
  WH402: {
    means: 'The pattern uses look-around or a back-reference.',
    why: 'Patterns run on an engine that needs time in proportion to the text. Look-around and back-references cannot run on it: on a hostile text they can hold a process up for minutes.',
    fix: 'Say the same with two conditions: one that must hold, and one under not.',
    example: {
      of: 'route',
      bad: "filters: [{ field: ref, regex: '^(?!refs/tags/)' }]\n",
      good: "filters: [{ not: { field: ref, regex: '^refs/tags/' } }]\n",
    },
  },
  WH403: {
    means: 'The conditions contradict each other: no event can fulfil them.',
    why: 'Every event of the route is ignored, in silence. The gateway starts all the same.',
    fix: 'Conditions in a list must all hold. Put alternatives under any, or values into one in.',
    example: {
      of: 'route',
      bad: 'filters:\n  - { field: action, equals: opened }\n  - { field: action, equals: closed }\n',
      good: 'filters:\n  - { field: action, in: [opened, closed] }\n',
    },
  },
  WH404: {
    means: 'The condition lets every event through.',
    why: 'It was written to keep something out, and does not.',
    fix: 'Remove the condition, or name the values that are meant to pass.',
    example: {
      of: 'route',
      bad: 'filters:\n  - any: [{ field: action, equals: opened }, { not: { field: action, equals: opened } }]\n',
      good: 'filters:\n  - { field: action, equals: opened }\n',
    },
  },
  WH405: {
    means: 'A condition has no operator, several of them, a word that is none, or lacks the field to look at.',
    why: 'Two operators in one condition read as "and" to some and as "or" to others.',
    fix: 'Write one condition for each operator. Conditions in a list must all hold; under any: one of them must.',
    example: {
      of: 'route',
      bad: 'filters: [{ field: action, equals: opened, contains: open }]\n',
      good: 'filters: [{ field: action, equals: opened }]\n',
    },
  },
  WH406: {
    means: 'The operand is of a kind that the field never has, such as a number for a header, which is always a text.',
    why: 'The condition never holds, since nothing is converted: "3" is not 3.',
    fix: 'Write the operand as the type that the field has.',
    example: {
      of: 'route',
      bad: 'filters: [{ field: headers.X-Count, equals: 3 }]\n',
      good: 'filters: [{ field: headers.X-Count, equals: "3" }]\n',
    },
  },
  WH407: {
    means:
      'The list of in_file cannot be read: it is not there, outside the profile folder, or neither lines nor a JSON list. Or in_list names a list of headgate lists that is not there.',
    why: 'The condition does not hold while that is so; with in_list, events are refused with 503. The gateway starts, and reads the list again when it changes.',
    fix: 'Put the file below the profile folder: a line for each value, or a JSON list. For in_list: headgate lists add <name>.',
    example: {
      of: 'route',
      bad: 'filters: [{ field: sender.login, in_file: people.txt }]\n',
      good: 'filters: [{ field: sender.login, in: [ada, grace] }]\n',
    },
  },
  WH408: {
    means: 'A condition asks for an event type that events of the same route does not list.',
    why: 'Such an event is ignored before the filters, so the condition never holds.',
    fix: 'Add the event to events, or remove the condition.',
    example: {
      of: 'route',
      bad: 'events: [push]\nfilters: [{ field: event, equals: pull_request }]\n',
      good: 'events: [push, pull_request]\nfilters: [{ field: event, equals: pull_request }]\n',
    },
  },
  WH409: {
    means: 'The field of a condition, or a path in its expression, is in none of the samples that the route can take (validate --sample).',
    why: 'A condition on a missing field does not hold (not_equals does), so the route lets through nothing, or everything.',
    fix: 'Write the path as the payload has it. If only the samples lack the field, add one that has it: headgate samples add.',
    example: {
      of: 'route',
      bad: 'events: [pull_request]\nfilters: [{ field: pull_request.dratf, equals: false }]\n',
      good: 'events: [pull_request]\nfilters: [{ field: pull_request.draft, equals: false }]\n',
    },
  },
  WH410: {
    means: 'A condition says the same as another one, or a branch of any is already covered by a wider one.',
    why: 'Changing one of the two conditions has no effect.',
    fix: 'Remove the one that adds nothing.',
    example: {
      of: 'route',
      bad: 'filters:\n  - { field: action, equals: opened }\n  - { field: action, equals: opened }\n',
      good: 'filters:\n  - { field: action, equals: opened }\n',
    },
  },
  WH411: {
    means: 'The operand looks like a pattern, a template or a list, but this operator takes it letter by letter.',
    why: 'contains: ^fix looks for a circumflex; equals: [a, b] for a field that is this list; equals: "{a.b}" for these braces. So the condition most likely never holds, and a not around it lets everything through.',
    fix: 'Use regex or matches_glob for patterns, in for lists and equals_field for two fields. If the letters are meant, a sample that has them is enough (headgate samples add), or an ignore comment.',
    example: { of: 'route', bad: 'filters: [{ field: title, contains: "^fix" }]\n', good: 'filters: [{ field: title, regex: "^fix" }]\n' },
  },
  WH412: {
    means: 'The JSONata expression cannot be read, or uses what is not allowed here.',
    why: 'The filter could not say yes or no, so the file is refused.',
    fix: 'Mend the expression; the position in the message counts characters in it. The payload is payload.x, headers are headers."X-Name".',
    example: {
      of: 'route',
      bad: "filters: [{ jsonata: 'payload.count >' }]\n",
      good: "filters: [{ jsonata: 'payload.count > 3' }]\n",
    },
  },
  WH413: {
    means: 'The filters of the route have too many conditions, or are nested too deep.',
    why: 'They run before an event is accepted, so their cost is bounded.',
    fix: 'Use in or in_file for long lists of values; put common parts into one any or all.',
  },
  WH414: {
    means:
      'The condition compares a field with a value of another kind than the field has in all samples: a text with true or false, a text with a list of maps. The samples are those of the sender that verify names, or those of --sample.',
    why: 'Values of different kinds are never equal, so the condition never holds (not_equals always does). This is a warning, because other events of the sender are not known.',
    fix: 'Write the operand as the kind that the payload has. If some events have another kind, add one of them as a sample: headgate samples add.',
    example: {
      of: 'route',
      bad: 'verify: github\nevents: [pull_request]\nfilters: [{ field: pull_request.draft, equals: "false" }]\n',
      good: 'verify: github\nevents: [pull_request]\nfilters: [{ field: pull_request.draft, equals: false }]\n',
    },
  },
  WH415: {
    means: 'The field of a condition is in none of the known samples of the sender in verify, although they have the map around the field.',
    why: 'If no event has the field, the condition never holds (not_equals always does). This is only a note, because other events of the sender are not known.',
    fix: 'Look at a sample (headgate samples show) or at a recorded event (headgate events show --body). If events have it, add one as a sample: headgate samples add.',
    example: {
      of: 'route',
      bad: 'verify: github\nevents: [pull_request]\nfilters: [{ field: pull_request.branch, equals: main }]\n',
      good: 'verify: github\nevents: [pull_request]\nfilters: [{ field: pull_request.base.ref, equals: main }]\n',
    },
  },
  WH416: {
    means:
      'The file or sample in payload_schema is not there, is no JSON Schema of draft-07, or is not bounded: it refers to another file, has a pattern that is not linear-time, or is too large.',
    why: 'Payloads of strangers are checked by it before the filters, so it must be complete and must not take long. The file is refused.',
    fix: 'Mend the schema; the message names the place in it. Definitions of other files can be copied under definitions. headgate schema learn <route> makes a schema of recorded events.',
    example: {
      of: 'route',
      bad: 'payload_schema: schemas/missing.json\n',
      good: 'filters: [{ field: action, exists: true }]\n',
    },
  },
  WH417: {
    means: 'A condition or a placeholder reads a field that no payload has which fits payload_schema of the route.',
    why: 'The condition never holds (not_equals always does), and the placeholder stands in the text as it is written.',
    fix: 'Write the path as the schema has it. If events have the field, mend the schema: headgate schema learn <route> makes a new one.',
  },
  WH418: {
    means:
      'A condition or an expression has a whole number past 2^53 that is rounded before it is compared: in JSONata, which knows only doubles, or where it is not written with its digits alone, as 1e20.',
    why: 'The rounded number is another one, so the condition holds for no event, or for the wrong one.',
    fix: 'In JSONata, compare with the text of the digits: whole numbers past 2^53 of a payload are texts there. In a condition, write the digits alone, or use regex.',
    example: {
      of: 'route',
      bad: "filters: [{ jsonata: 'payload.id = 1234567890123456789' }]\n",
      good: 'filters: [{ jsonata: \'payload.id = "1234567890123456789"\' }]\n',
    },
  },
  WH419: {
    means: 'gt, gte, lt or lte is given a text that is no date.',
    why: 'They compare with numbers, lengths and times, and no text is at once above or below another. The file is refused.',
    fix: 'Write a date (2026-01-31, which is its midnight in UTC) or a date-time with its offset (2026-01-31T12:00:00Z). Write a number without quotes, and a length as { length: 20 }.',
    example: {
      of: 'route',
      bad: 'filters: [{ field: issue.created_at, gt: "31.1.2026" }]\n',
      good: 'filters: [{ field: issue.created_at, gt: "2026-01-31" }]\n',
    },
  },
  WH420: {
    means:
      'A JSONata expression compares fields in a way for which there are operators: equals, gt, in, contains, starts_with, exists, equals_field …',
    why: 'A condition is easier to read, is checked against samples, and costs about a hundredth of an expression. Nothing is wrong.',
    fix: 'Write the condition. An expression compares each item where a field is a list, or lies in one; a condition does not: any_item does.',
    example: {
      of: 'route',
      bad: "filters: [{ jsonata: 'payload.pull_request.additions > 500' }]\n",
      good: 'filters: [{ field: pull_request.additions, gt: 500 }]\n',
    },
  },
  WH421: {
    means:
      'in_list names both or none of store and url, or its url cannot be asked: it is no whole http or https address, has a placeholder, or leads into a private network without allow_private.',
    why: 'No list could ever be fetched, so each event of the route would be refused with 503.',
    fix: 'Write a fixed address, and allow_private: true where it is meant to lead into a private network. A path, headers and times belong to a url.',
    example: {
      of: 'route',
      bad: 'filters: [{ field: sender.login, in_list: { url: "https://localhost/people.json" } }]\n',
      good: 'filters: [{ field: sender.login, in_list: { url: "https://directory.example.org/people.json" } }]\n',
    },
  },
} as const satisfies { readonly [code: string]: Explanation }
