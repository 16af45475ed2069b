import './attempts.test.js'
