import type { Command } from 'commander'
import { type Cli, example } from './io.js'
import { collect, type ListView, note, printLine, printList, printObject } from './output.js'
import { addSureOption, confirmRemoval, type SureOption } from './removal.js'

/**
 * The commands of one kind of thing, such as `greenroom keys`. Each has its usage, its description, and an example of
 * what comes after its name; what it is given are its arguments, then its options. `show` prints one of these things.
 */
export function groupOf<Thing extends object>(
  program: Command,
  cli: Cli,
  name: string,
  about: string,
  show: (cli: Cli, thing: Thing) => void = printObject,
) {
  const group = program.command(name).description(about)
  type Run<Given extends unknown[], Result> = (...given: Given) => Promise<Result>

  const add = <Given extends unknown[]>(usage: string, does: string, sample: string, run: Run<Given, void>): Command =>
    group
      .command(usage)
      .description(does)
      .addHelpText('after', example(`greenroom ${name} ${usage.split(' ')[0]} ${sample}`.trim()))
      .action((...given: unknown[]) => run(...(given as Given)))

  return {
    /** A command that prints by itself. */
    add,

    /** Prints what it resolves with, or with `--quiet` its id, and then a remark. */
    print: <Given extends unknown[]>(
      usage: string,
      does: string,
      sample: string,
      run: Run<Given, Thing>,
      remark?: string,
    ): Command =>
      add(usage, does, sample, async (...given: Given) => {
        const thing = await run(...given)
        const { quiet } = given.at(-2) as { quiet?: true }
        if (quiet) printLine(cli, (thing as { id: string }).id)
        else show(cli, thing)
        if (remark !== undefined) note(cli, remark)
      }),

    /** Prints every row of a list, page by page where it has pages. */
    list: <Given extends unknown[], Row extends object>(
      usage: string,
      does: string,
      sample: string,
      view: ListView<Row>,
      read: (...given: Given) => AsyncIterable<Row> | Promise<readonly Row[]>,
    ): Command =>
      add(usage, does, sample, async (...given: Given) => printList(cli, await collect(await read(...given)), view)),

    /** Tells what goes and asks first, unless `--yes` is given. Prints what it resolves with, and then a remark. */
    remove: <Given extends unknown[]>(
      usage: string,
      does: string,
      sample: string,
      goes: (...given: Given) => readonly string[],
      run: Run<Given, object>,
      remark?: string,
    ): Command =>
      addSureOption(
        add(usage, does, sample, async (...given: Given) => {
          await confirmRemoval(cli, goes(...given), given.at(-2) as SureOption)
          printObject(cli, await run(...given))
          if (remark !== undefined) note(cli, remark)
        }),
      ),
  }
}
