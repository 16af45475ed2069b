import type { Locator, Page } from 'playwright-core'
import { SOON, typeTime } from './console-page.js'

/** The means by which a person works: the mouse, a finger, or only the keyboard. */
export type Means = 'mouse' | 'touch' | 'keyboard'

export interface ChosenFile {
  name: string
  mimeType: string
  buffer: Buffer
}

/** Every control of a page is closer than this. */
const TABS_MAX = 150

/**
 * Works on a page as a person does, and counts actions as docs/console.md defines them. With the keyboard, Tab moves to
 * the target as the pointer does, and is not an action either.
 */
export class Hands {
  actions = 0
  constructor(
    readonly page: Page,
    private readonly means: Means,
  ) {}

  async open(url: string): Promise<void> {
    this.actions += 1
    await this.page.goto(url)
  }

  async press(target: Locator): Promise<void> {
    this.actions += 1
    if (this.means === 'mouse') await target.click(SOON)
    else if (this.means === 'touch') await target.tap(SOON)
    else {
      await this.#reach(target)
      const boxes = await target.and(this.page.locator('[type=checkbox], [type=radio]')).count()
      await this.page.keyboard.press(boxes > 0 ? 'Space' : 'Enter')
    }
  }

  /** Fills a field over its content; a time has the form `2026-12-24T18:00`. */
  async fill(target: Locator, text: string): Promise<void> {
    this.actions += 1
    if (this.means !== 'keyboard') return target.fill(text, SOON)
    await this.#reach(target)
    const [, year, month, day, hour, minute] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)$/.exec(text) ?? []
    if (year === undefined) {
      await this.page.keyboard.press('ControlOrMeta+A')
      await this.page.keyboard.type(text)
    } else {
      const half = `${String(Number(hour) % 12 || 12).padStart(2, '0')}:${minute} ${Number(hour) < 12 ? 'AM' : 'PM'}`
      await typeTime(this.page, `${month}/${day}/${year}`, half)
    }
  }

  /** Chooses the option of a list with this name. */
  async choose(target: Locator, label: string): Promise<void> {
    this.actions += 1
    await target.selectOption({ label }, SOON)
  }

  /** Presses the button that asks for a file, and chooses one: two actions. */
  async chooseFile(target: Locator, file: ChosenFile): Promise<void> {
    const [chooser] = await Promise.all([this.page.waitForEvent('filechooser'), this.press(target)])
    this.actions += 1
    await chooser.setFiles(file)
  }

  async #reach(target: Locator): Promise<void> {
    await target.waitFor(SOON)
    const reached = target.and(this.page.locator(':focus'))
    for (let tabs = 0; (await reached.count()) === 0; tabs += 1) {
      if (tabs === TABS_MAX) throw new Error(`Tab does not lead to ${target}`)
      await this.page.keyboard.press('Tab')
    }
  }
}
