type Dispatcher = NonNullable<RequestInit['dispatcher']>
type Handler = Parameters<Dispatcher['dispatch']>[1]

/** A watched call of `fetch`, which must be given the dispatcher. */
export interface WatchedCall {
  dispatcher: Dispatcher
  /**
   * Ends the watch after the call failed. `mayBeSent` is false only if it is certain that nothing of the request was written
   * to a connection, or will be.
   */
  end(): { mayBeSent: boolean }
}

/**
 * undici calls the first of these on a handler right before it writes a request to an established connection, TLS included.
 * Which one depends on undici's version.
 */
const STARTS: ReadonlySet<string | symbol> = new Set(['onRequestStart', 'onConnect'])

/**
 * Watches whether a call gets as far as a connection. An error code cannot show this: several look the same before and after
 * the request is sent, and an abort has none. If undici does not behave as expected, the request counts as sent.
 */
export function watchSending(): WatchedCall {
  let isDispatched = false
  let isStarted = false
  let isOver = false

  function watch(handler: Handler): Handler {
    if (![...STARTS].some((name) => typeof Reflect.get(handler, name) === 'function')) isStarted = true
    return new Proxy(handler, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (!STARTS.has(name)) return value.bind(target)
        return (...args: unknown[]) => {
          // The call was abandoned while it waited for its connection. Sending the request now would make that response
          // wrong.
          if (isOver) return abort(args[0])
          isStarted = true
          return Reflect.apply(value, target, args)
        }
      },
    })
  }

  return {
    dispatcher: {
      dispatch(options: Parameters<Dispatcher['dispatch']>[0], handler: Handler) {
        isDispatched = true
        return requireGlobalDispatcher().dispatch(options, watch(handler))
      },
    } as Dispatcher,
    end() {
      isOver = true
      return { mayBeSent: isStarted || !isDispatched }
    },
  }
}

/** The first argument is a function in undici's older interface, and a controller in the newer one. */
function abort(first: unknown): void {
  const reason = new Error('the call was abandoned before it had a connection')
  if (typeof first === 'function') first(reason)
  else (first as { abort(reason: Error): void }).abort(reason)
}

/** Returns the dispatcher that fetch itself would use: an operator may have set one, such as for a proxy. */
function requireGlobalDispatcher(): Dispatcher {
  const found = [2, 1]
    .map((version) => Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`)) as unknown)
    .find((dispatcher) => dispatcher !== undefined)
  if (found === undefined) throw new Error('this version of Node.js has no dispatcher for fetch')
  return found as Dispatcher
}
