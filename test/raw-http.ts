import { connect } from 'node:net'

/**
 * Sends bytes unchanged to a port of this machine and returns everything received until the server ends the connection.
 * Our half stays open, because a server drops the requests of a client that seems to have left. A reset after a response
 * is also an end: a server that leaves part of the request unread causes one.
 */
export function talkRaw(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', (error) => {
      if (answer === '') reject(error)
    })
  })
}
