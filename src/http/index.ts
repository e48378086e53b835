/** The HTTP side, loaded when a gateway starts. */

export { listenControl } from './control.ts'
export { controlSocket } from './control-socket.ts'
export { recordPid } from './pid-record.ts'
export { recordOf } from './record.ts'
export { createReporter, describe } from './report.ts'
export { listen } from './server.ts'
