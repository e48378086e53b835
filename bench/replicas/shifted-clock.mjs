/** Is loaded before a gateway, and shifts the wall clock of that process. Timers and durations stay right, as on a machine with a wrong clock. */

const shiftMs = Number(process.env.HEADGATE_BENCH_CLOCK_SHIFT_MS)
const rightNow = Date.now
Date.now = () => rightNow() + shiftMs
globalThis.Date = new Proxy(Date, {
  construct: (target, values, asked) => Reflect.construct(target, values.length === 0 ? [target.now()] : values, asked),
})
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + shiftMs })
