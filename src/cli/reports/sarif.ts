/**
 * Writes findings as SARIF 2.1.0, from which code hosts make alerts: rules with their explanation and the address of their
 * documentation, fingerprints that stay when lines move, and fixes.
 */

import { relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { explanationOf } from '../../check/explain/index.ts'
import { fingerprintOf } from '../../check/validate/baseline.ts'
import { type Code, codeCatalogue, type Diagnostic, type Fix, type SourceRange } from '../../core/diagnostic.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { jsonText } from '../../datadir/json-text.ts'
import { version } from '../../datadir/version.ts'
import { docsOf, homepage } from '../shell/output.ts'
import { findingSentence } from './kit/sentence.ts'
import type { FindingsReport, Render } from './report.ts'

const levels = { error: 'error', warning: 'warning', info: 'note' } as const

export const sarif: Render = (report) => {
  const codes = [...new Set(report.diagnostics.map(({ code }) => code))].sort()
  const run: JsonObject = {
    tool: { driver: { name: 'headgate', semanticVersion: version, informationUri: homepage, rules: codes.map(ruleOf) } },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: { '%SRCROOT%': { description: { text: 'the folder that headgate was called in' } } },
    results: report.diagnostics.map((each) => resultOf(each, codes, report)),
  }
  return `${jsonText({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }, 2)}\n`
}

const ruleOf = (code: Code): JsonObject => {
  const { title, severity } = codeCatalogue[code]
  const { means, why, fix } = explanationOf(code)
  return {
    id: code,
    shortDescription: { text: title },
    fullDescription: { text: means },
    help: { text: [means, why, fix].join('\n\n') },
    helpUri: docsOf(code),
    defaultConfiguration: { level: levels[severity] },
  }
}

const resultOf = (each: Diagnostic, codes: readonly Code[], { folder, fallbackFile }: FindingsReport): JsonObject => {
  const { code, severity, place, route, fix, related = [], stopsStart, pointer } = each
  const logical: Json[] = route === undefined ? [] : [{ name: printable(route), fullyQualifiedName: pointer, kind: 'object' }]
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: levels[severity],
    message: { text: findingSentence(each) },
    locations: [
      {
        physicalLocation: place ? physicalOf(place) : { artifactLocation: artifactOf(fallbackFile) },
        ...(logical.length === 0 ? {} : { logicalLocations: logical }),
      },
    ],
    partialFingerprints: { 'headgate/v1': fingerprintOf(each, folder) },
    properties: { stopsStart },
    ...(related.length === 0 ? {} : { relatedLocations: related.map(relatedOf) }),
    ...(fix ? { fixes: [fixOf(fix)] } : {}),
  }
}

const relatedOf = ({ place, message }: NonNullable<Diagnostic['related']>[number], i: number): JsonObject => ({
  id: i + 1,
  physicalLocation: physicalOf(place),
  message: { text: printable(message) },
})

const fixOf = ({ title, edits }: Fix): JsonObject => {
  const files = [...new Set(edits.map(({ place }) => place.file))]
  return {
    description: { text: printable(title) },
    artifactChanges: files.map((file) => ({
      artifactLocation: artifactOf(file),
      replacements: edits
        .filter(({ place }) => place.file === file)
        .map(({ place, text }) => ({ deletedRegion: regionOf(place), insertedContent: { text } })),
    })),
  }
}

const physicalOf = (place: SourceRange): JsonObject => ({ artifactLocation: artifactOf(place.file), region: regionOf(place) })

const regionOf = ({ line, column, endLine, endColumn }: SourceRange): JsonObject => ({
  startLine: line,
  startColumn: column,
  endLine,
  endColumn,
})

/**
 * Returns the location of a file. A file below the working folder has a relative path, because code hosts compare the path with the tree
 * of the repository. Any other file has an absolute address.
 */
const artifactOf = (file: string): JsonObject => {
  const near = relative(process.cwd(), file)
  if (near === '' || near.startsWith('..')) return { uri: pathToFileURL(file).href }
  return { uri: near.split(sep).map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' }
}
