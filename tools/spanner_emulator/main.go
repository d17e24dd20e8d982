// An in-memory Spanner for tests: the package spannertest of Google's Go client, as a program. It prints its address when it is
// ready, and stops at SIGTERM and SIGINT.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"

	"cloud.google.com/go/spanner/apiv1/spannerpb"
	"cloud.google.com/go/spanner/spannertest"
	"cloud.google.com/go/spanner/spansql"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("spanner_emulator: ")
	address := flag.String("address", "127.0.0.1:0", "host and port to listen on; port 0 is one that is free")
	ddl := flag.String("ddl", "", "a file of CREATE TABLE statements, which the database starts with")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: spanner_emulator [-address HOST:PORT] [-ddl FILE]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		log.Printf("unknown argument %q", flag.Arg(0))
		os.Exit(2)
	}

	inner, err := spannertest.NewServer("127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	// What the server logs of its requests is not for the terminal.
	inner.SetLogger(func(string, ...interface{}) {})
	if *ddl != "" {
		text, err := os.ReadFile(*ddl)
		if err != nil {
			log.Fatal(err)
		}
		statements, err := spansql.ParseDDL(*ddl, string(text))
		if err != nil {
			log.Fatal(err)
		}
		if err := inner.UpdateDDL(statements); err != nil {
			log.Fatalf("%s: %v", *ddl, err)
		}
	}

	connection, err := grpc.Dial(inner.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatalf("cannot listen on %s: %v", *address, err)
	}
	server := grpc.NewServer()
	spannerpb.RegisterSpannerServer(server, &sessions{inner: spannerpb.NewSpannerClient(connection)})
	fmt.Println(listener.Addr())

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		server.Stop()
		inner.Close()
	}()
	if err := server.Serve(listener); err != nil {
		log.Fatal(err)
	}
}
