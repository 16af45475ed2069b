/** Turns the text of a setting into its value. Throws a Mistake for a text that is wrong. */
export type Parser<Value> = (text: string) => Value

/** The rest of a sentence that begins with the name of the setting. It repeats no secret. */
export class Mistake extends Error {}

/** The properties that some settings have. */
interface Traits {
  /** The default as one would write it. Without one, a setting that is not set is undefined. */
  default?: string
  /** `<name>_FILE` may name a file that holds a secret. */
  secret?: true
  /** The group is null unless this setting is set. */
  turnsOn?: true
  /** The mistake of a group that is on while this setting is not set. */
  required?: string
  /** The names of settings that must be set where this one is, each with the mistake of one that is not. */
  needs?: Readonly<Record<string, string>>
}

interface Named<Name extends string, Value> {
  name: Name
  parse: Parser<Value>
  /** The description in docs/settings.md. */
  about: string
}

/** A variable of the environment. */
export type Setting<Value = unknown> = Named<string, Value> & Traits

/** A setting is whole when its `about` is given, which stands last because it is the longest. */
export const setting = <const Name extends string, Value, const Own extends Traits = Record<never, never>>(
  name: Name,
  parse: Parser<Value>,
  traits?: Own,
) => ({ about: (about: string) => ({ name, parse, about, ...traits }) as Named<Name, Value> & Own })

type Settings = Readonly<Record<string, Setting>>

type ValueOf<One extends Setting> =
  | ReturnType<One['parse']>
  | (One extends { default: string } | { turnsOn: true } | { required: string } ? never : undefined)

export type Values<All extends Settings> = { readonly [Key in keyof All]: ValueOf<All[Key]> }

/** The effective text of a setting by the name of its variable: empty where it is not set and has no default. */
export type TextOf = (name: string) => string

interface Rules<Given, Made> {
  /** Checks what concerns several settings. Gives the mistakes, and anything else for what is right. */
  check?(values: Given, textOf: TextOf): readonly (string | false | undefined)[]
  make?(values: Given): Made
  /** The values of a group that is off are not looked at. */
  ignoredWhenOff?: true
}

export interface Group<All extends Settings, Made> extends Rules<Values<All>, Made> {
  settings: All
}

/** The settings of one room. */
export const group = <const All extends Settings, Made = Values<All>>(
  settings: All,
  rules: Rules<Values<All>, Made> = {},
): Group<All, Made> => ({ settings, ...rules })

// biome-ignore lint/suspicious/noExplicitAny: any group
export type AnyGroup = Group<any, any>

/** The configuration that a group gives: null for one that is off. */
export type ConfigOf<One extends AnyGroup> =
  One extends Group<infer All, infer Made>
    ? Readonly<Made> | (Extract<All[keyof All], { turnsOn: true }> extends never ? never : null)
    : never

export type NameIn<One extends AnyGroup> =
  One extends Group<infer All, unknown> ? (All[keyof All] extends { name: infer Name } ? Name : never) : never
