/** Parses the text of a setting. Throws a Mistake if the text is invalid. */
export type Parser<Value> = (text: string) => Value

/** The rest of a sentence that begins with the name of the setting. Never repeats a secret. */
export class Mistake extends Error {}

/** Optional properties of a setting. */
interface Traits {
  /** The default as a user would write it. Without one, an unset setting is undefined. */
  default?: string
  /** `<name>_FILE` may name a file that holds a secret. */
  secret?: true
  /** The group is null unless this setting is set. */
  turnsOn?: true
  /** The mistake to report if the group is on and this setting is not set. */
  required?: string
  /** Settings that must be set if this one is, each with the mistake to report if it is not. */
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

/** Defines a setting. Its description comes last, in `about`, because it is the longest part. */
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

/** Returns the effective text of a setting by its variable name; empty if it is not set and has no default. */
export type TextOf = (name: string) => string

interface Rules<Given, Made> {
  /** Checks rules across several settings. Returns the mistakes; other values are ignored. */
  check?(values: Given, textOf: TextOf): readonly (string | false | undefined)[]
  make?(values: Given): Made
  /** If true, the values of a group that is off are not checked. */
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

/** The configuration of a group; null if it is off. */
export type ConfigOf<One extends AnyGroup> =
  One extends Group<infer All, infer Made>
    ? Readonly<Made> | (Extract<All[keyof All], { turnsOn: true }> extends never ? never : null)
    : never

export type NameIn<One extends AnyGroup> =
  One extends Group<infer All, unknown> ? (All[keyof All] extends { name: infer Name } ? Name : never) : never
