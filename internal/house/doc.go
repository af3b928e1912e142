// Package house holds the tests of the house as a whole: which package may know
// which, and which may look at the clock or make chance.
package house
