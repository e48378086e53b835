import type { JsonObject } from '../../core/json.ts'
import type { Closable } from '../../core/owner.ts'
import type { ToolKit, Toolset } from './tool.ts'
export const compileServer = (_name: string, _settings: JsonObject, _kit: ToolKit): Closable<Toolset> | undefined => undefined
