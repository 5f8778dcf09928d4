/// To be written.
package enum Setting {}
