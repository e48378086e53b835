/** The HTTP side, loaded when a gateway starts. */

export { recordPid } from './control/pid-record.ts'
export { listenControl } from './control/server.ts'
export { controlSocket } from './control/socket-path.ts'
export { recordOf } from './record.ts'
export { createReporter, describe } from './report.ts'
export { listen } from './server.ts'
