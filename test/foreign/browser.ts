/** The library that drives Chromium, and the rules of accessibility that it checks pages by. */

export { AxeBuilder } from '@axe-core/playwright'
export { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
