/** Shows the search that narrows a list, or a note where no row of the list fits it. */

import { type Narrowing, nothingFits } from '../model/narrowing.ts'
import { Field } from './field.tsx'
import { Row, Rows } from './row.tsx'
import { Span } from './span.tsx'

/** Shows the search of a list. `said`: what stands behind the search. */
export const FilterLine = ({ of, width, said = '' }: { readonly of: Narrowing; readonly width: number; readonly said?: string }) => (
  <Row>
    <Span tone="dim">{'filter '}</Span>
    <Field field={of.search} width={width - 10 - said.length} />
    <Span tone="dim">{said}</Span>
  </Row>
)

/** Says why a list has no rows. `without`: what is said of a list that is not narrowed. */
export const NoRows = ({ of, without }: { readonly of: Narrowing; readonly without: string }) => (
  <Rows of={[of.search.text === '' ? without : nothingFits]} tone="dim" />
)
