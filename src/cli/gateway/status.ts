/**
 * `gateway status`: prints the state that the running gateway reports, and all replicas of a shared store; exit 4 when there is neither.
 */

import { daysUntil } from '../../config/tls/certificate-set.ts'
import { describeRefusals } from '../../core/outcome-table.ts'
import { printable, someOf } from '../../core/text.ts'
import { catchUpProgress } from '../../features/catch-up/progress.ts'
import type { FailedReload, FetchedListState, KeptSecret, PollState, Replica, ServedCertificate, Status } from '../../generated/control.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { type GatewayStatus, readStatus } from '../../operate/gateway/status.ts'
import { answer, type Cli } from '../shell/output.ts'
import { replicaData, replicaLines } from './replica-lines.ts'

const width = 'reload failed '.length

const fieldLine = (name: string, value: string | number): string => `${name.padEnd(width)}${printable(String(value))}\n`

export const gatewayStatus = async (cli: Cli): Promise<number> => {
  const { status, replicas, problems } = await readStatus(gatewayAt(cli.workspace), cli.workspace)
  const text = [
    status ? statusText(status) : fieldLine('gateway', 'none runs on this data directory, and others share its store'),
    ...(replicas === undefined ? [] : replicasText(replicas, problems)),
  ]
  const ofReplicas =
    replicas === undefined ? {} : { replicas: replicas?.map(replicaData) ?? null, problems: problems.map((problem) => ({ ...problem })) }
  return answer(cli, { kind: 'gateway.status', data: { ...(status ? statusData(status) : {}), ...ofReplicas }, text: text.join('') })
}

const statusText = (status: Status): string =>
  [
    fieldLine('gateway', status.stopping ? 'stopping' : 'running'),
    ...(status.not_ready && !status.stopping ? [fieldLine('not ready', status.not_ready)] : []),
    fieldLine('url', status.url),
    ...(status.relay ? [fieldLine('relay', relayText(status.relay))] : []),
    ...(status.polls ?? []).map((each) => fieldLine('poll', pollText(each))),
    ...(status.certificates ?? []).map((each) => fieldLine('certificate', certificateText(each))),
    ...(status.certificates_refused ? [fieldLine('not in use', refusedText(status.certificates_refused))] : []),
    ...(status.secrets ?? []).map((each) => fieldLine('secret', secretText(each))),
    ...(status.lists ?? []).map((each) => fieldLine('list', listText(each))),
    fieldLine('pid', status.pid),
    fieldLine('started', status.started_at),
    fieldLine('reloaded', status.reloaded_at ?? 'never'),
    ...(status.reload_failed ? [fieldLine('reload failed', refusedText(status.reload_failed))] : []),
    ...status.changed_files.map((file) => fieldLine('not served', `${file} has changed since it was read: headgate gateway reload`)),
    ...(status.need_restart.length > 0 ? [fieldLine('need restart', status.need_restart.join(', '))] : []),
    fieldLine('routes', status.routes),
    fieldLine('jobs', status.jobs),
    fieldLine('backlog', status.backlog ?? 'unknown, for the store does not answer'),
    ...(status.paused_routes ?? []).map((each) => fieldLine('paused', pausedText(each))),
    ...(status.catch_ups ?? []).map((each) => fieldLine('catch-up', `${each.route}, ${catchUpProgress(each)}`)),
    ...(status.waiting_requests ? [fieldLine('waiting', `requests for the reply of their run: ${status.waiting_requests}`)] : []),
    ...(status.targets_down ? [fieldLine('targets down', `${status.targets_down}: headgate targets list`)] : []),
    fieldLine('refused', describeRefusals(status.refused) || 'nothing'),
    ...(status.alerts ? [fieldLine('alerts', someOf(status.alerts) || 'none')] : []),
  ].join('')

const refusedText = ({ at, reason }: FailedReload): string => `${at}: ${reason}`

const pausedText = ({ route, hold, since, held_runs }: NonNullable<Status['paused_routes']>[number]): string =>
  `${route}, since ${since}${hold ? `, ${held_runs} runs held` : ', its senders get 503'}: headgate webhook resume ${route}`

const relayText = ({ url, connected, since, reason, kept, kept_bytes, oldest_at }: NonNullable<Status['relay']>): string => {
  if (!connected) return `${url}, out of reach since ${since}: ${reason ?? 'not connected yet'}`
  const oldest = oldest_at === undefined ? '' : `, the oldest of ${oldest_at}`
  return `${url}, connected since ${since}, keeps ${kept ?? 0} requests (${kept_bytes ?? 0} bytes${oldest})`
}

const pollText = ({ route, url, state, since, reason, polled_at, taken, refused, given_up }: PollState): string =>
  `${route}, ${state} since ${since}${reason === undefined ? '' : `: ${reason}`}, last read ${polled_at ?? 'never'}, ${taken} taken, ${refused} refused, ${given_up} given up (${url})`

const secretText = ({ reference, read_at, overlaps, problem }: KeptSecret): string =>
  `exec:${reference}, read ${read_at}${overlaps ? ', the one before it verifies too' : ''}${problem === undefined ? '' : `, no newer one: ${problem}`}`

const listText = ({ address, usable, values, fetched_at, failure }: FetchedListState): string => {
  const state = fetched_at === null ? 'not fetched yet' : `${values} values of ${fetched_at}`
  const until = usable ? '' : ', events that need it get 503'
  return `${address}, ${state}${until}${failure ? `, no newer one since ${failure.since}: ${failure.reason}` : ''}`
}

const certificateText = ({ names, ends_at: end }: ServedCertificate): string =>
  `${names[0] ?? 'of no name'}, until ${end.slice(0, 10)} (${daysUntil(Date.parse(end), Date.now())} days)`

const replicasText = (replicas: readonly Replica[] | null, problems: GatewayStatus['problems']): readonly string[] => [
  fieldLine('replicas', replicas === null ? 'unknown, for the store does not answer' : replicas.length),
  ...(replicas ? replicaLines(replicas) : []),
  ...problems.map(({ message, fix }) => fieldLine('attention', `${message}: ${fix}`)),
]

const statusData = ({
  replicas: _,
  alerts,
  secrets,
  paused_routes: paused,
  catch_ups: catchUps,
  redactions_missed: missed,
  lists,
  certificates,
  certificates_refused: refused,
  relay,
  polls,
  ...status
}: Status) => ({
  ...status,
  ...(relay ? { relay: { ...relay } } : {}),
  ...(polls ? { polls: polls.map((each) => ({ ...each })) } : {}),
  ...(certificates ? { certificates: certificates.map((each) => ({ ...each, names: [...each.names] })) } : {}),
  ...(refused ? { certificates_refused: { ...refused } } : {}),
  ...(alerts ? { alerts: [...alerts] } : {}),
  ...(catchUps ? { catch_ups: catchUps.map((each) => ({ ...each, events: [] })) } : {}),
  ...(paused ? { paused_routes: paused.map((each) => ({ ...each })) } : {}),
  ...(missed ? { redactions_missed: missed.map((each) => ({ ...each })) } : {}),
  ...(lists ? { lists: lists.map(({ failure, ...each }) => ({ ...each, failure: failure ? { ...failure } : null })) } : {}),
  ...(secrets ? { secrets: secrets.map((each) => ({ ...each })) } : {}),
  reload_failed: status.reload_failed && { ...status.reload_failed },
  changed_files: [...status.changed_files],
  need_restart: [...status.need_restart],
})
