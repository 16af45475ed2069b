import { connect } from 'node:net'

/**
 * Sends bytes to a port of this machine as they are and gives back all that comes until the server ends the connection.
 * Our half stays open: a server drops the requests of a client that seems to have gone. After an answer a reset is an end as
 * well: a server that leaves some of the request unread makes one.
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
