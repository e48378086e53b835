/** One chart of stacked bars or of lines, over the steps of a span. A table beside the chart has the same numbers. */

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'

export type ChartSeries = {
  readonly name: string
  /** The CSS variable with its colour: `--done`. */
  readonly color: string
  /** A value for each step; `null` where there is none. */
  readonly values: readonly (number | null)[]
}

export type ChartOptions = {
  readonly kind: 'bars' | 'lines'
  /** When each step begins, in milliseconds since 1970. */
  readonly at: readonly number[]
  readonly series: readonly ChartSeries[]
  readonly write: (value: number) => string
  readonly label: (at: number) => string
  /** Called for a click on the chart. `series`: the bar that was hit; `undefined` beside the bars. */
  readonly pick: (step: number, series: number | undefined) => void
}

const heightPx = 190

export const Chart = (options: ChartOptions): JSX.Element => {
  const place = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | null>(null)
  const { at, series, write, label } = options
  useEffect(() => {
    const { current } = place
    return current ? draw(current, options, setPointed) : undefined
  }, [options])
  const said = series.flatMap(({ name, values }) => {
    const value = pointed === null ? null : (values[pointed] ?? null)
    return value === null || value === 0 ? [] : [`${name} ${write(value)}`]
  })
  return (
    <>
      <div ref={place} class="chart" aria-hidden="true" />
      <p class="pointed quiet" aria-hidden="true">
        {pointed === null ? '\u00a0' : [label(at[pointed] ?? 0), ...said].join(' · ')}
      </p>
    </>
  )
}

/** Returns the heights at which the values are drawn: a bar stands on the bars of the series before it. */
const heights = ({ kind, series }: ChartOptions): (number | null)[][] => {
  let below: readonly number[] = []
  return series.map(({ values }) => {
    if (kind === 'lines') return [...values]
    below = values.map((value, i) => (value ?? 0) + (below[i] ?? 0))
    return [...below]
  })
}

/** Draws the chart into an element. Returns the function that removes the chart. */
const draw = (element: HTMLElement, options: ChartOptions, point: (step: number | null) => void): (() => void) => {
  const colors = matchMedia('(prefers-color-scheme: dark)')
  let chart = create(element, options, point)
  const redraw = (): void => {
    chart.destroy()
    chart = create(element, options, point)
  }
  const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: heightPx }))
  resized.observe(element)
  colors.addEventListener('change', redraw)
  return () => {
    resized.disconnect()
    colors.removeEventListener('change', redraw)
    chart.destroy()
  }
}

const create = (element: HTMLElement, options: ChartOptions, point: (step: number | null) => void): uPlot => {
  const { kind, at, series, write, label, pick } = options
  const drawn = heights(options)
  const colorOf = colorsOf(element)
  const font = `12px ${getComputedStyle(element).fontFamily}`
  const axis: uPlot.Axis = { stroke: colorOf('--quiet'), font, grid: { stroke: colorOf('--line'), width: 1 }, ticks: { show: false } }
  const bars = uPlot.paths.bars?.({ size: [0.85, 60], align: 1 })
  // The highest bars are drawn first, because each bar covers the lower part of the bars that were drawn before.
  const order = kind === 'bars' ? series.map((_, i) => series.length - 1 - i) : series.map((_, i) => i)
  const chart = new uPlot(
    {
      width: element.clientWidth,
      height: heightPx,
      legend: { show: false },
      padding: [10, 36, 0, 0],
      scales: {
        x: { range: (_, min, max) => [min, kind === 'bars' ? max + stepOf(at) : max] },
        y: { range: (_, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
      },
      axes: [
        { ...axis, grid: { show: false }, space: 90, size: 32, values: (_, splits) => splits.map((split) => label(split * 1_000)) },
        { ...axis, size: 64, values: (_, splits) => splits.map(write) },
      ],
      cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
      series: [
        {},
        ...order.map((i): uPlot.Series => {
          const color = colorOf(series[i]?.color ?? '')
          return kind === 'bars'
            ? { fill: color, width: 0, ...(bars ? { paths: bars } : {}), points: { show: false } }
            : { stroke: color, width: 2, spanGaps: true, points: { size: 5, fill: color } }
        }),
      ],
      hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? null)] },
    },
    [at.map((ms) => ms / 1_000), ...order.map((i) => drawn[i] ?? [])],
    element,
  )
  chart.over.addEventListener('click', () => {
    const { idx, top = 0 } = chart.cursor
    if (idx === null || idx === undefined) return
    const value = chart.posToVal(top, 'y')
    const hit = kind === 'bars' ? drawn.findIndex((heights) => value <= (heights[idx] ?? 0)) : -1
    pick(idx, hit < 0 ? undefined : hit)
  })
  return chart
}

/** Returns the function that reads the colour of a CSS variable. A canvas knows neither variables nor the colour scheme of the page. */
const colorsOf = (element: HTMLElement): ((variable: string) => string) => {
  const probe = document.createElement('span')
  return (variable) => {
    probe.style.color = `var(${variable})`
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}

/** The length of a step, in seconds. */
const stepOf = ([first = 0, second = 0]: readonly number[]): number => (second - first) / 1_000
