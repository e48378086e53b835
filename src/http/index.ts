/** The parts of this folder that every gateway needs. They are loaded only when a gateway starts. */

export { recordPid } from './control/pid-record.ts'
export { listenControl } from './control/server.ts'
export { controlSocket } from './control/socket-path.ts'
export { listen } from './server.ts'
