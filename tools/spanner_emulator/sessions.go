package main

import (
	"context"
	"io"
	"strings"

	"cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/protobuf/types/known/emptypb"
)

// spannertest calls a session "0a1b2c3d". The API says "projects/p/instances/i/databases/d/sessions/0a1b2c3d", and Google's
// client for Python makes that of it. This service is in front of spannertest, and shortens the names of sessions.
type sessions struct {
	spannerpb.UnimplementedSpannerServer
	inner spannerpb.SpannerClient
}

func short(session string) string {
	return session[strings.LastIndex(session, "/")+1:]
}

func (s *sessions) CreateSession(ctx context.Context, request *spannerpb.CreateSessionRequest) (*spannerpb.Session, error) {
	session, err := s.inner.CreateSession(ctx, request)
	if err != nil {
		return nil, err
	}
	session.Name = request.Database + "/sessions/" + session.Name
	session.Multiplexed = request.GetSession().GetMultiplexed()
	return session, nil
}

func (s *sessions) BatchCreateSessions(
	ctx context.Context, request *spannerpb.BatchCreateSessionsRequest,
) (*spannerpb.BatchCreateSessionsResponse, error) {
	response, err := s.inner.BatchCreateSessions(ctx, request)
	if err != nil {
		return nil, err
	}
	for _, session := range response.Session {
		session.Name = request.Database + "/sessions/" + session.Name
	}
	return response, nil
}

func (s *sessions) GetSession(ctx context.Context, request *spannerpb.GetSessionRequest) (*spannerpb.Session, error) {
	name := request.Name
	request.Name = short(name)
	session, err := s.inner.GetSession(ctx, request)
	if err != nil {
		return nil, err
	}
	session.Name = name
	return session, nil
}

func (s *sessions) DeleteSession(ctx context.Context, request *spannerpb.DeleteSessionRequest) (*emptypb.Empty, error) {
	request.Name = short(request.Name)
	return s.inner.DeleteSession(ctx, request)
}

func (s *sessions) BeginTransaction(
	ctx context.Context, request *spannerpb.BeginTransactionRequest,
) (*spannerpb.Transaction, error) {
	request.Session = short(request.Session)
	return s.inner.BeginTransaction(ctx, request)
}

func (s *sessions) Commit(ctx context.Context, request *spannerpb.CommitRequest) (*spannerpb.CommitResponse, error) {
	request.Session = short(request.Session)
	return s.inner.Commit(ctx, request)
}

func (s *sessions) Rollback(ctx context.Context, request *spannerpb.RollbackRequest) (*emptypb.Empty, error) {
	request.Session = short(request.Session)
	return s.inner.Rollback(ctx, request)
}

func (s *sessions) ExecuteSql(ctx context.Context, request *spannerpb.ExecuteSqlRequest) (*spannerpb.ResultSet, error) {
	request.Session = short(request.Session)
	return s.inner.ExecuteSql(ctx, request)
}

type results interface {
	Recv() (*spannerpb.PartialResultSet, error)
}

func forward(from results, send func(*spannerpb.PartialResultSet) error) error {
	for {
		part, err := from.Recv()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = send(part)
		}
		if err != nil {
			return err
		}
	}
}

func (s *sessions) ExecuteStreamingSql(
	request *spannerpb.ExecuteSqlRequest, stream spannerpb.Spanner_ExecuteStreamingSqlServer,
) error {
	request.Session = short(request.Session)
	inner, err := s.inner.ExecuteStreamingSql(stream.Context(), request)
	if err != nil {
		return err
	}
	return forward(inner, stream.Send)
}

func (s *sessions) StreamingRead(request *spannerpb.ReadRequest, stream spannerpb.Spanner_StreamingReadServer) error {
	request.Session = short(request.Session)
	inner, err := s.inner.StreamingRead(stream.Context(), request)
	if err != nil {
		return err
	}
	return forward(inner, stream.Send)
}
